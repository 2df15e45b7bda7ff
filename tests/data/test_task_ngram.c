/* The task ngram, read by the texts of its tokens alone. */
#include "tests/data/task_example.h"

enum { MOST = 40 };

static hl_vocabulary *vocabulary_of(const hl_task_spec *spec)
{
    hl_vocabulary *vocabulary;
    CHECK_OK(hl_task_vocabulary(spec, &vocabulary));
    return vocabulary;
}

static void check_example(const hl_task_spec *spec, int64_t n, uint64_t seed)
{
    sample made = make_sample(spec, n, seed);
    const int32_t *tokens = made.example.tokens, *targets = made.example.targets;
    hl_vocabulary *vocabulary = vocabulary_of(spec);
    char before[MOST + 1] = "";
    for (int64_t i = 0; i < n; i++) {
        ck_assert_int_eq(made.example.sources[i], HL_IGNORE);
        if (i < spec->order) {
            ck_assert_int_eq(targets[i], HL_IGNORE);
        } else {
            ck_assert_str_eq(hl_vocabulary_token(vocabulary, targets[i]), before + i - spec->order);
        }
        const char *letter = hl_vocabulary_token(vocabulary, tokens[i]);
        ck_assert_uint_eq(strlen(letter), 1);
        strcat(before, letter);
    }
    hl_vocabulary_free(vocabulary);
    release_sample(spec, made);
}

TEST(every_place_names_the_symbols_before_it)
{
    static const struct {
        int64_t symbols, order, length;
    } sizes[] = { { 2, 2, 3 }, { 3, 6, 18 }, { 26, 2, 30 }, { 2, 8, 39 }, { 4, 8, 9 } };
    for (int i = 0; i < 5; i++) {
        hl_task_spec spec = { .name = "ngram",
                              .length = sizes[i].length,
                              .min_length = sizes[i].order + 1,
                              .symbols = sizes[i].symbols,
                              .order = sizes[i].order };
        CHECK_OK(hl_task_check(&spec));
        for (uint64_t seed = 0; seed < 5; seed++) {
            check_example(&spec, seed % 2 == 0 ? spec.length : spec.min_length, seed);
        }
    }
}

TEST(its_words_are_the_letters_and_then_all_their_ngrams)
{
    hl_vocabulary *vocabulary = vocabulary_of(&(hl_task_spec){ .name = "ngram", .symbols = 2, .order = 2 });
    static const char *const words[] = { "<pad>", "<sep>", "<mask>", "a", "b", "aa", "ab", "ba", "bb" };
    ck_assert_int_eq(hl_vocabulary_size(vocabulary), 9);
    for (int32_t id = 0; id < 9; id++) {
        ck_assert_str_eq(hl_vocabulary_token(vocabulary, id), words[id]);
    }
    hl_vocabulary_free(vocabulary);
}

static const struct {
    int64_t symbols, order, length, min_length;
    const char *text;
} refused[] = {
    { 1, 2, 9, 9, "task.symbols = 1: must be from 2 to 26" },
    { 27, 2, 9, 9, "task.symbols = 27: must be from 2 to 26" },
    { 3, 1, 9, 9, "task.order = 1: must be from 2 to 8" },
    { 3, INT64_MAX, 9, 9, "task.order = 9223372036854775807: must be from 2 to 8" },
    { 3, 4, 4, 4, "task.length = 4: must be from 5 to 65536" },
    { 3, 4, 9, 4, "task.min_length = 4: must be from 5 to task.length = 9" },
    { 5, 7, 9, 9,
      "task.order = 7: 5 symbols make more than 65536 n-grams of that order; lower task.order or task.symbols" },
    { 26, 8, 9, 9,
      "task.order = 8: 26 symbols make more than 65536 n-grams of that order; lower task.order or task.symbols" },
};

LOOP_TEST(a_bad_spec_is_refused, 0, ROWS(refused))
{
    hl_status status = hl_task_check(&(hl_task_spec){ .name = "ngram",
                                                      .length = refused[_i].length,
                                                      .min_length = refused[_i].min_length,
                                                      .symbols = refused[_i].symbols,
                                                      .order = refused[_i].order });
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, refused[_i].text);
}

SUITE("task ngram")
