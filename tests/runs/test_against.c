/* heads compare RUN RUN2, on runs of the tiny config. */
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "L0H0", "L0H1", "L1H0", "L1H1" };

/* What a row of the table says of a head: the name of its match, their js, and that of the untrained pair; NaN for
 * "-". */
typedef struct table_row {
    char match[16];
    double js, untrained;
} table_row;

static table_row read_row(const char *table, const char *head)
{
    table_row found;
    char untrained[16];
    const char *row = strstr(table, scratch_format("\n%s ", head));
    ck_assert_msg(row != NULL, "no row of %s in: %s", head, table);
    ck_assert_int_eq(sscanf(row + 1, "%*s %*s %15s %*s %lf %15s", found.match, &found.js, untrained), 3);
    if (sscanf(untrained, "%lf", &found.untrained) != 1) { /* "-" */
        found.untrained = NAN;
    }
    return found;
}

static void expect_same_as_page(const char *table, json_t *page)
{
    for (size_t i = 0; i < 4; i++) {
        json_t *head = item_at(item_at(page, "runs", 0), "heads", i), *match = json_object_get(head, "match");
        json_t *its =
            item_at(item_at(page, "runs", 1), "heads", (size_t)json_integer_value(json_object_get(match, "head")));
        const char *name = scratch_format("L%zuH%zu", i / 2, i % 2);
        const char *its_name = scratch_format("L%dH%d", (int)json_integer_value(json_object_get(its, "layer")),
                                              (int)json_integer_value(json_object_get(its, "head")));
        table_row row = read_row(table, name);
        ck_assert_str_eq(row.match, its_name);
        ck_assert_double_eq_tol(row.js, number_at(match, "js"), 0.0005 + 1e-12);
    }
}

/* The same examples: all snapshots of both stand side by side. */
TEST(runs_of_one_seed_are_compared_on_their_snapshots)
{
    const char *one = TINY_RUN("one", "model.heads=2", "patterns.every=5"),
               *other = TINY_RUN("other", "model.heads=4", "patterns.every=5");
    run_result run = OK(HEADS("compare", one, other));
    const char *path = run_file(one, "against-other.html");
    ck_assert_ptr_nonnull(strstr(run.out, path));
    json_t *page = answer_page(run_read(path));
    expect_same_as_page(run.out, page);
    json_t *first = item_at(page, "runs", 0), *second = item_at(page, "runs", 1);
    ck_assert_str_eq(text_at(first, "name"), "one");
    ck_assert_uint_eq(json_array_size(json_object_get(first, "snapshots")),
                      json_array_size(json_object_get(second, "snapshots")));
    ck_assert_uint_eq(json_array_size(json_object_get(second, "heads")), 8);
}

/* Runs that began with the same weights were 0 apart; with another number of heads they were not. */
TEST(the_distance_before_the_first_step_stands_beside)
{
    const char *one = TINY_RUN("one", "train.steps=24", "patterns.every=5"),
               *other = TINY_RUN("other", "optimizer.learning_rate=0.05", "patterns.every=5");
    const char *heads = TINY_RUN("heads", "model.heads=4");
    table_row row = read_row(HEADS("compare", one, heads).out, "L1H1");
    ck_assert_msg(row.untrained > 0 && row.untrained < 0.694 && row.untrained != row.js, "%g, %g", row.untrained,
                  row.js);
    run_result run = HEADS("compare", one, other);
    int same = 0;
    for (size_t i = 0; i < 4; i++) {
        row = read_row(run.out, names[i]);
        bool is_own = strcmp(row.match, names[i]) == 0;
        same += is_own;
        ck_assert_int_eq(row.untrained == 0, is_own);
    }
    ck_assert_int_gt(same, 0);
    unlink(run_file(other, "patterns/step_000000.npz"));
    run = OK(HEADS("compare", one, other));
    ck_assert(isnan(read_row(run.out, "L1H1").untrained));
    ck_assert_ptr_nonnull(strstr(run.out, "not known"));
}

/* Another seed has other examples: its weights are run on the first run's. */
TEST(runs_of_two_seeds_are_compared_on_the_first_ones_examples)
{
    const char *one = TINY_RUN("one", "train.seed=1", "patterns.every=5"),
               *other = TINY_RUN("other", "train.seed=2", "patterns.every=5"), *file = run_path("a.html");
    run_result run = OK(HEADS("compare", one, other, "--report", file));
    ck_assert_str_eq(run_read(run_file(one, "against-other.html")), "");
    json_t *page = answer_page(run_read(file)), *first = item_at(page, "runs", 0), *second = item_at(page, "runs", 1);
    expect_same_as_page(run.out, page);
    ck_assert(json_equal(json_object_get(first, "examples"), json_object_get(second, "examples")));
    ck_assert_uint_eq(json_array_size(json_object_get(second, "snapshots")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(item_at(second, "snapshots", 0), "step")), 24);
    ck_assert_ptr_nonnull(json_object_get(second, "pass"));
    unlink(run_file(other, "checkpoint.safetensors"));
    unlink(run_file(other, "model.safetensors"));
    REFUSED(HEADS("compare", one, other), 2, "runs.cannot_be_run_on_the_examples");
}

/* A run compared with itself: every head is its own match. */
TEST(a_run_is_its_own_match)
{
    const char *one = TINY_RUN("one", "train.seed=1", "patterns.every=5");
    run_result run = OK(HEADS("compare", one, one));
    for (size_t i = 0; i < 4; i++) {
        table_row row = read_row(run.out, names[i]);
        ck_assert_str_eq(row.match, names[i]);
        ck_assert_double_eq(row.js, 0);
    }
    const char *page = HEADS("compare", one, one, "--report").out;
    ck_assert_int_eq(strncmp(page, "<!doctype html>\n", 16), 0);
    json_t *data = answer_page(page); /* two runs of one name are told apart by their paths */
    ck_assert_str_eq(json_string_value(json_object_get(item_at(data, "runs", 1), "name")), one);
}

TEST(what_cannot_be_compared_is_refused)
{
    const char *one = TINY_RUN("one", "train.seed=1", "patterns.every=5"),
               *symbols = TINY_RUN("symbols", "task.symbols=5", "patterns.every=5");
    REFUSED(HEADS("compare", one, symbols), 2, "runs.and_cannot_be_compared_their_vocabularies");
    const char *agreement = run_path("agreement"), *numbers = TINY_RUN("numbers", "task.symbols=94");
    EXPECT_RUN(0, run_shipped_config("agreement.ini"), "train.steps=1", "train.batch_size=8", "train.eval_examples=24",
               "patterns.examples=2", "--quiet", "--out", agreement);
    REFUSED(HEADS("compare", agreement, numbers), 2, "runs.and_cannot_be_compared_token_3");
    const char *longer = TINY_RUN("longer", "task.length=8");
    const char *narrow = TINY_RUN("narrow", "model.max_length=7");
    REFUSED(HEADS("compare", longer, narrow), 2, "runs.cannot_be_run_on_the_examples_2");
    OK(HEADS("compare", narrow, longer));
    ck_assert_int_eq(HEADS("compare", one, run_path("nowhere")).code, 3);
    REFUSED(HEADS("compare", one, symbols, "--head", "L0H0"), 2, "runs.head_is_for_the_verb_map");
    REFUSED(HEADS("compare", one, symbols, "--step", "0"), 2, "runs.step_unknown_option_see_help");
}

SUITE("against", .seconds = 60)
