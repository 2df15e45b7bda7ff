#include "tests/data/agreement_parser.h"
#include "tests/data/task_example.h"

#include <string.h>

enum { RELATIONS = PARSER_RELATIONS, WORDS = 94 };

static hl_vocabulary *vocabulary;

static const hl_task_spec spec = { .name = "agreement", .length = 24, .min_length = 8 };

static void open_vocabulary(void)
{
    CHECK_OK(hl_task_vocabulary(&spec, &vocabulary));
}

static void close_vocabulary(void)
{
    hl_vocabulary_free(vocabulary);
}

static hl_example make(int64_t n, uint64_t seed)
{
    return make_sample(&spec, n, seed).example;
}

static void release(hl_example made)
{
    release_sample(&spec, (sample){ .example = made });
}

/* The word at i, whether masked or not. */
static int32_t whole(hl_example made, int64_t i)
{
    return made.tokens[i] == HL_MASK ? made.targets[i] : made.tokens[i];
}

static void parse(hl_example made, int64_t n, parser *p)
{
    p->n = (int)n;
    for (int i = 0; i < n; i++) {
        int32_t word = whole(made, i);
        ck_assert(word >= HL_SPECIAL_TOKENS && word < HL_SPECIAL_TOKENS + WORDS);
        p->words[i] = hl_vocabulary_token(vocabulary, word);
    }
    parser_read(p);
}

TEST(every_sentence_is_grammatical_and_its_pairs_are_the_stated_ones)
{
    static parser p;
    for (int64_t n = 3; n <= 2000; n = n < 40 ? n + 1 : n + 653) {
        for (uint64_t seed = 0; seed < (n < 40 ? 60 : 3); seed++) {
            hl_example made = make(n, seed);
            parse(made, n, &p);
            for (int r = 0; r < RELATIONS; r++) {
                ck_assert_msg(memcmp(made.relations[r], p.partners[r], (size_t)n * sizeof(int32_t)) == 0,
                              "%s of a sentence of %d words, seed %d", parser_relations[r], (int)n, (int)seed);
            }
            release(made);
        }
    }
}

/* So that a partner is the only word of the sentence that looks like it. */
TEST(no_noun_stands_twice_in_a_sentence_of_usual_length)
{
    static parser p;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        hl_example made = make(24, seed);
        parse(made, 24, &p);
        int same = 0;
        for (int i = 0; i < p.n_nouns; i++) {
            for (int j = 0; j < i; j++) {
                same += strcmp(p.nouns[i], p.nouns[j]) == 0;
            }
        }
        ck_assert_int_eq(same, 0);
        release(made);
    }
}

/* The relation that leads from i to its source, or -1. */
static int relation_to_source(hl_example made, int64_t i)
{
    for (int r = 0; r < RELATIONS; r++) {
        if (made.relations[r][i] == made.sources[i]) {
            return r;
        }
    }
    return -1;
}

TEST(a_masked_word_follows_from_its_partner_alone)
{
    static int32_t answers[RELATIONS][HL_SPECIAL_TOKENS + WORDS]; /* by relation and partner; 0: not seen */
    int learnt = 0, masked = 0, by_relation[RELATIONS] = { 0 };
    for (uint64_t seed = 0; seed < 4000; seed++) {
        int64_t n = 8 + (int64_t)(seed % 17), masked_here = 0;
        hl_example made = make(n, seed);
        for (int64_t i = 0; i < n; i++) {
            ck_assert((made.tokens[i] == HL_MASK) == (made.targets[i] != HL_IGNORE));
            ck_assert((made.tokens[i] == HL_MASK) == (made.sources[i] != HL_IGNORE));
            if (made.tokens[i] != HL_MASK) {
                continue;
            }
            int relation = relation_to_source(made, i);
            ck_assert_int_ge(relation, 0);
            int32_t partner = made.tokens[made.sources[i]], *answer = &answers[relation][partner];
            ck_assert_int_ne(partner, HL_MASK);
            ck_assert(*answer == 0 || *answer == made.targets[i]);
            learnt += *answer == 0;
            *answer = made.targets[i];
            by_relation[relation]++;
            masked_here++;
        }
        ck_assert_int_gt(masked_here, 0);
        masked += (int)masked_here;
        release(made);
    }
    /* From 32 nouns a determiner, an adjective, a verb and a pronoun each; from 32 verbs a noun. */
    ck_assert_int_eq(learnt, 5 * 32);
    static const bool asked[RELATIONS] = { true, false, true, false, true, true, true, false };
    for (int r = 0; r < RELATIONS; r++) {
        ck_assert(asked[r] ? by_relation[r] > masked / 20 : by_relation[r] == 0);
    }
}

enum { FARTHEST = 24 };

TEST(no_fixed_offset_hits_half_of_a_relation)
{
    static int seen[RELATIONS][2 * FARTHEST + 1];
    int pairs[RELATIONS] = { 0 };
    for (uint64_t seed = 0; seed < 4000; seed++) {
        int64_t n = 8 + (int64_t)(seed % 17);
        hl_example made = make(n, seed);
        for (int64_t i = 0; i < RELATIONS * n; i++) {
            int32_t partner = made.relations[i / n][i % n];
            if (partner != HL_IGNORE) {
                seen[i / n][partner - i % n + FARTHEST]++;
                pairs[i / n]++;
            }
        }
        release(made);
    }
    for (int r = 0; r < RELATIONS; r++) {
        ck_assert_msg(pairs[r] > 2000, "%s: %d pairs", parser_relations[r], pairs[r]);
        for (int k = 0; k <= 2 * FARTHEST; k++) {
            ck_assert_msg(2 * seen[r][k] < pairs[r], "%s: offset %d has %d of %d", parser_relations[r], k - FARTHEST,
                          seen[r][k], pairs[r]);
        }
    }
}

/* Between a verb and its subject other nouns stand, most of them of the other number. */
TEST(distractors_stand_between_partners)
{
    static parser p;
    int verbs = 0, distracted = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        hl_example made = make(20, seed);
        parse(made, 20, &p);
        for (int i = 0; i < 20; i++) {
            int subject = p.partners[4][i], between = 0;
            verbs += subject >= 0;
            for (int j = subject + 1; subject >= 0 && j < i; j++) {
                /* A determiner begins every noun phrase, and shows its number. */
                between += p.partners[0][j] > j && strcmp(p.words[j], p.words[p.partners[1][subject]]) != 0;
            }
            distracted += between > 0;
        }
        release(made);
    }
    ck_assert_int_gt(distracted, verbs / 5);
}

TEST(every_word_of_the_vocabulary_is_used)
{
    ck_assert_int_eq(hl_vocabulary_size(vocabulary), HL_SPECIAL_TOKENS + WORDS);
    ck_assert_int_eq(hl_task_sizes_of(&spec).vocabulary, HL_SPECIAL_TOKENS + WORDS);
    int seen[HL_SPECIAL_TOKENS + WORDS] = { 0 };
    for (uint64_t seed = 0; seed < 500; seed++) {
        hl_example made = make(24, seed);
        for (int i = 0; i < 24; i++) {
            ck_assert(made.tokens[i] >= HL_MASK && made.tokens[i] < HL_SPECIAL_TOKENS + WORDS);
            seen[whole(made, i)]++;
        }
        release(made);
    }
    for (int i = HL_SPECIAL_TOKENS; i < HL_SPECIAL_TOKENS + WORDS; i++) {
        ck_assert_msg(seen[i] > 0, "%s", hl_vocabulary_token(vocabulary, i));
    }
}

SUITE("task agreement", .before = open_vocabulary, .after = close_vocabulary)
