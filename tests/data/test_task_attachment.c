/* The task attachment, read by the texts of its tokens. */
#include "tests/data/dataset_examples.h"

#include <string.h>

enum { N = 600, T = 14, SUBJECT, OBJECT, CUED_SUBJECT, CUED_OBJECT, RELATIONS = 4 };

typedef struct read_sentence {
    int64_t nouns[2]; /* the positions of the words before the verb and before `with` */
    int cue;          /* 0: none; 1: at the beginning, 2: at the end */
    bool held;        /* what it says */
} read_sentence;

static const char *word(const hl_vocabulary *vocabulary, const hl_examples *examples, int64_t e, int64_t t)
{
    return hl_vocabulary_token(vocabulary, examples->tokens[e * examples->n_tokens + t]);
}

static read_sentence read_example(const hl_vocabulary *vocabulary, const hl_examples *examples, int64_t e)
{
    int64_t n = examples->lengths[e];
    read_sentence s = { .cue = 0 };
    const char *first = word(vocabulary, examples, e, 0), *last = word(vocabulary, examples, e, n - 2);
    for (int i = 0; i < 2; i++) {
        const char *at = i == 0 ? first : last;
        if (strcmp(at, "used") == 0 || strcmp(at, "held") == 0) {
            ck_assert_int_eq(s.cue, 0); /* not at both ends */
            s.cue = i + 1;
            s.held = strcmp(at, "held") == 0;
        }
    }
    int verbs = 0;
    for (int64_t t = 1; t < n; t++) {
        static const char *const all[] = { "saw", "heard", "met", "called", "followed", "found" };
        for (int i = 0; i < 6; i++) {
            if (strcmp(word(vocabulary, examples, e, t), all[i]) == 0) {
                s.nouns[0] = t - 1;
                verbs++;
            }
        }
        if (strcmp(word(vocabulary, examples, e, t), "with") == 0) {
            s.nouns[1] = t - 1;
        }
    }
    ck_assert_int_eq(verbs, 1);
    ck_assert(s.nouns[1] > s.nouns[0] + 2);
    ck_assert_str_eq(word(vocabulary, examples, e, n - 1), "<mask>");
    return s;
}

TEST(the_cue_decides_who_has_the_thing)
{
    hl_dataset *dataset = open_dataset((hl_task_spec){ .name = "attachment", .length = T, .min_length = 10 }, 2);
    hl_examples examples = read_batch(dataset, HL_TRAIN, 0, N, T);
    const hl_vocabulary *vocabulary = hl_dataset_vocabulary(dataset);
    int cues[3] = { 0 }, objects[3] = { 0 };
    for (int64_t e = 0; e < N; e++) {
        read_sentence s = read_example(vocabulary, &examples, e);
        int64_t n = examples.lengths[e], row = e * examples.n_tokens, source = examples.sources[row + n - 1];
        bool object = source == s.nouns[1];
        ck_assert(object || source == s.nouns[0]);
        ck_assert(s.cue == 0 || object == s.held);
        ck_assert_int_eq(examples.targets[row + n - 1], examples.tokens[row + source]);
        ck_assert_str_ne(word(vocabulary, &examples, e, s.nouns[0]), word(vocabulary, &examples, e, s.nouns[1]));
        cues[s.cue]++;
        objects[s.cue] += object;
        const int64_t pairs[RELATIONS] = { s.cue == 0 ? s.nouns[0] : HL_IGNORE, s.cue == 0 ? s.nouns[1] : HL_IGNORE,
                                           s.cue > 0 && !object ? source : HL_IGNORE,
                                           s.cue > 0 && object ? source : HL_IGNORE };
        for (int r = 0; r < RELATIONS; r++) {
            const int32_t *relation = examples.relations + (e * RELATIONS + r) * examples.n_tokens;
            for (int64_t t = 0; t < n; t++) {
                ck_assert_int_eq(relation[t], t == n - 1 ? pairs[r] : HL_IGNORE);
                ck_assert(t == n - 1 || examples.targets[row + t] == HL_IGNORE);
            }
        }
    }
    for (int i = 0; i < 3; i++) { /* 200 and 100 of each, give or take 4 standard deviations */
        ck_assert(cues[i] > 150 && cues[i] < 250);
        ck_assert(objects[i] > cues[i] / 2 - 30 && objects[i] < cues[i] / 2 + 30);
    }
}

SUITE("task attachment")
