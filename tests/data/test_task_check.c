#include "data/task.h"
#include "tests/check_suite.h"

#include <stdio.h>
#include <string.h>

#define NAME(name) #name,
#define ONE(name) +1
enum { TASKS = 0 HL_TASKS(ONE) };

TEST(the_list_holds_every_task_once)
{
    static const char *const names[] = { HL_TASKS(NAME) };
    for (int i = 0; i < TASKS; i++) {
        const hl_task *task = hl_task_at(i);
        ck_assert_str_eq(task->name, names[i]);
        ck_assert_ptr_eq(hl_task_find(names[i]), task);
        ck_assert_uint_gt(strlen(task->summary), 20);
        bool known = false;
        for (int k = 0; task->keys[k] != NULL; k++) {
            known = known || strcmp(task->keys[k], task->is_of_pairs ? "pairs" : "min_length") == 0;
        }
        ck_assert_msg(known, "%s does not read the key of its sizes", names[i]);
    }
    ck_assert_ptr_null(hl_task_at(TASKS));
    ck_assert_ptr_null(hl_task_at(-1));
    ck_assert_ptr_null(hl_task_find("cop"));
    ck_assert_ptr_null(hl_task_find(NULL));
    ck_assert_str_eq(hl_task_find("shift")->keys[3], "shift");
    ck_assert_ptr_null(hl_task_find("copy")->keys[3]);
}

TEST(the_longest_example_counts_its_special_tokens)
{
    static const struct {
        const char *name;
        int64_t longest;
    } cases[] = { { "copy", 21 },      { "identity_copy", 10 }, { "recall", 15 },
                  { "agreement", 10 }, { "ngram", 10 },         { "markov", 10 } };
    for (int i = 0; i < ROWS(cases); i++) {
        hl_task_spec spec = {
            .name = cases[i].name, .length = 10, .min_length = 5, .symbols = 4, .pairs = 6, .queries = 2
        };
        ck_assert_int_eq(hl_task_sizes_of(&spec).longest, cases[i].longest);
    }
}

LOOP_TEST(the_vocabularys_size_is_known_without_it, 0, 6)
{
    static const int64_t symbols[] = { 20, 25, 26, 27, 1000, HL_TASK_MAX_SYMBOLS };
    for (int i = 0; hl_task_at(i) != NULL; i++) {
        bool is_ngram = strcmp(hl_task_at(i)->name, "ngram") == 0; /* it has at most 26 */
        hl_task_spec spec = { .name = hl_task_at(i)->name, .symbols = is_ngram ? 20 : symbols[_i], .order = 3 };
        hl_vocabulary *vocabulary;
        CHECK_OK(hl_task_vocabulary(&spec, &vocabulary));
        ck_assert_int_eq(hl_task_sizes_of(&spec).vocabulary, hl_vocabulary_size(vocabulary));
        ck_assert(hl_task_at(i)->n_words != NULL || hl_vocabulary_size(vocabulary) == symbols[_i] + HL_SPECIAL_TOKENS);
        hl_vocabulary_free(vocabulary);
    }
}

TEST(relations_have_names_of_their_own)
{
    for (int i = 0; hl_task_at(i) != NULL; i++) {
        const char *const *relations = hl_task_at(i)->relations;
        int64_t n = hl_task_sizes_of(&(hl_task_spec){ .name = hl_task_at(i)->name }).relations;
        ck_assert_int_le(n, HL_TASK_MAX_RELATIONS);
        ck_assert_ptr_null(relations[n]);
        for (int64_t r = 0; r < n; r++) {
            ck_assert_uint_eq(strspn(relations[r], "abcdefghijklmnopqrstuvwxyz_"), strlen(relations[r]));
            for (int64_t s = 0; s < r; s++) {
                ck_assert_str_ne(relations[s], relations[r]);
            }
        }
    }
    ck_assert_int_eq(hl_task_sizes_of(&(hl_task_spec){ .name = "copy" }).relations, 0);
    static const char *const names[] = { "det_noun",     "noun_det",     "adj_noun",     "noun_adj",
                                         "verb_subject", "subject_verb", "pronoun_noun", "noun_pronoun" };
    const hl_task_spec agreement = { .name = "agreement" };
    ck_assert_int_eq(hl_task_sizes_of(&agreement).relations, ROWS(names));
    for (int64_t r = 0; r < hl_task_sizes_of(&agreement).relations; r++) {
        ck_assert_str_eq(hl_task_find("agreement")->relations[r], names[r]);
    }
}

/* A spec that every task accepts, with one value spoilt in turn. */
static const struct {
    const char *name;
    int64_t length, min_length, symbols, pairs, queries;
    const char *text;
} refused[] = {
    { "copy", 0, 1, 8, 2, 1, "task.length = 0: must be from 1 to 65536" },
    { "sort", -3, 1, 8, 2, 1, "task.length = -3: must be from 1 to 65536" },
    { "reverse", 65537, 1, 8, 2, 1, "task.length = 65537: must be from 1 to 65536" },
    { "shift", INT64_MAX, 1, 8, 2, 1, "task.length = 9223372036854775807: must be from 1 to 65536" },
    { "identity_copy", INT64_MIN, 1, 8, 2, 1, "task.length = -9223372036854775808: must be from 1 to 65536" },
    { "copy", 5, 0, 8, 2, 1, "task.min_length = 0: must be from 1 to task.length = 5" },
    { "copy", 5, -1, 8, 2, 1, "task.min_length = -1: must be from 1 to task.length = 5" },
    { "copy", 5, 6, 8, 2, 1, "task.min_length = 6: must be from 1 to task.length = 5" },
    { "copy", 5, INT64_MAX, 8, 2, 1, "task.min_length = 9223372036854775807: must be from 1 to task.length = 5" },
    { "copy", 5, 1, 0, 2, 1, "task.symbols = 0: must be from 2 to 1048576" },
    { "copy", 5, 1, -8, 2, 1, "task.symbols = -8: must be from 2 to 1048576" },
    { "copy", 5, 1, 1048577, 2, 1, "task.symbols = 1048577: must be from 2 to 1048576" },
    { "copy", 5, 1, INT64_MAX, 2, 1, "task.symbols = 9223372036854775807: must be from 2 to 1048576" },
    { "copy", 5, 1, 1, 2, 1, "task.symbols = 1: must be from 2 to 1048576" },
    { "recall", 5, 1, 1, 2, 1, "task.symbols = 1: must be from 2 to 1048576" },
    { "recall", 5, 1, INT64_MIN, 2, 1, "task.symbols = -9223372036854775808: must be from 2 to 1048576" },
    { "recall", 5, 1, 8, 0, 1, "task.pairs = 0: must be from 1 to 65536" },
    { "recall", 5, 1, 8, INT64_MAX, 1, "task.pairs = 9223372036854775807: must be from 1 to 65536" },
    { "recall", 5, 1, 9, 5, 1,
      "task.pairs = 5: task.symbols = 9 gives only 4 different keys (half of them); raise task.symbols to 10 or lower "
      "task.pairs" },
    { "recall", 5, 1, 8, 2, 0, "task.queries = 0: must be from 1 to task.pairs = 2" },
    { "recall", 5, 1, 8, 2, 3, "task.queries = 3: must be from 1 to task.pairs = 2" },
    { "recall", 5, 1, 8, 2, INT64_MAX, "task.queries = 9223372036854775807: must be from 1 to task.pairs = 2" },
    { "agreement", 2, 2, 8, 2, 1, "task.length = 2: must be from 3 to 65536" },
    { "agreement", 65537, 3, 8, 2, 1, "task.length = 65537: must be from 3 to 65536" },
    { "agreement", INT64_MIN, 3, 8, 2, 1, "task.length = -9223372036854775808: must be from 3 to 65536" },
    { "agreement", 24, 2, 8, 2, 1, "task.min_length = 2: must be from 3 to task.length = 24" },
    { "agreement", 24, 25, 8, 2, 1, "task.min_length = 25: must be from 3 to task.length = 24" },
    { "agreement", 24, INT64_MIN, 8, 2, 1,
      "task.min_length = -9223372036854775808: must be from 3 to task.length = 24" },
    { "markov", 5, 1, 8, 2, 1, "task.min_length = 1: must be from 2 to task.length = 5" },
    { "markov", 5, 5, 1, 2, 1, "task.symbols = 1: must be from 2 to 16" },
    { "markov", 5, 5, 17, 2, 1, "task.symbols = 17: must be from 2 to 16" },
    { "attachment", 14, 9, 8, 2, 1, "task.min_length = 9: must be from 10 to task.length = 14" },
};

LOOP_TEST(a_bad_spec_is_refused_by_key_value_and_remedy, 0, ROWS(refused))
{
    hl_task_spec spec = {
        .name = refused[_i].name,
        .length = refused[_i].length,
        .min_length = refused[_i].min_length,
        .symbols = refused[_i].symbols,
        .pairs = refused[_i].pairs,
        .queries = refused[_i].queries,
    };
    hl_status status = hl_task_check(&spec);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, refused[_i].text);
}

TEST(an_unknown_name_is_refused_with_those_there_are)
{
    static const char *const unknown[] = { "copi", NULL };
    for (int u = 0; u < 2; u++) {
        hl_status status = hl_task_check(&(hl_task_spec){ .name = unknown[u], .length = 5, .min_length = 1 });
        char expected[sizeof status.text];
        int used = snprintf(expected, sizeof expected, "task.name = %s: no such task; must be one of ",
                            unknown[u] != NULL ? unknown[u] : "");
        for (int i = 0; i < TASKS; i++) {
            used += snprintf(expected + used, sizeof expected - (size_t)used, "%s%s", i > 0 ? ", " : "",
                             hl_task_at(i)->name);
        }
        ck_assert_int_eq(status.code, HL_INVALID);
        ck_assert_str_eq(status.text, expected);
    }
}

TEST(keys_that_a_task_does_not_read_do_not_matter)
{
    hl_task_spec copy = {
        .name = "copy", .length = 5, .min_length = 1, .symbols = 8, .pairs = -1, .queries = INT64_MAX
    };
    CHECK_OK(hl_task_check(&copy));
    hl_task_spec recall = { .name = "recall", .length = -5, .min_length = 9, .symbols = 8, .pairs = 4, .queries = 4 };
    CHECK_OK(hl_task_check(&recall));
    hl_task_spec agreement = { .name = "agreement", .length = 24, .min_length = 3, .symbols = -1, .pairs = -1 };
    CHECK_OK(hl_task_check(&agreement));
}

SUITE("task check")
