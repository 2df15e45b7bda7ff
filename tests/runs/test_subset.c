/* heads importance --keep and --drop, on a run of the tiny config: two layers of two heads. */
#include "study/model.h"
#include "study/validation.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct row {
    int heads;
    double loss, perplexity, accuracy;
} row;

/* The table's two rows. */
static void read_rows(const char *out, row rows[2])
{
    const char *at = strstr(out, "accuracy\n");
    ck_assert_msg(at != NULL, "no table in: %s", out);
    ck_assert_int_eq(sscanf(at, "accuracy\n%d%lf%lf%lf%%%d%lf%lf%lf%%", &rows[0].heads, &rows[0].loss,
                            &rows[0].perplexity, &rows[0].accuracy, &rows[1].heads, &rows[1].loss, &rows[1].perplexity,
                            &rows[1].accuracy),
                     8);
}

TEST(all_heads_are_worth_what_training_said)
{
    const char *folder = TINY_RUN("run");
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    run_result run = SAYS(HEADS("importance", folder, "--keep", "L0H*,L1H*"), "weights of step 24");
    row rows[2];
    read_rows(run.out, rows);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(rows[i].heads, 4);
        ck_assert_double_eq_tol(rows[i].loss, loss, 5e-7 + 1e-9);
        ck_assert_double_eq_tol(rows[i].perplexity, exp(loss), 5e-5 + 1e-9);
        ck_assert_double_eq_tol(rows[i].accuracy, 100 * accuracy, 5e-3 + 1e-9);
    }
}

TEST(keeping_some_is_dropping_the_others)
{
    const char *folder = TINY_RUN("run");
    run_result run = SAYS(HEADS("importance", folder, "--keep", "L0H1,L1H0"), "Heads kept: L0H1, L1H0.\n");
    row kept[2], dropped[2];
    read_rows(run.out, kept);
    run = OK(HEADS("importance", folder, "--drop", "L1H1,L0H0"));
    read_rows(run.out, dropped);
    ck_assert_int_eq(kept[1].heads, 2);
    ck_assert_int_eq(dropped[1].heads, 2);
    ck_assert_double_eq(kept[1].loss, dropped[1].loss);
    ck_assert_double_eq(kept[1].accuracy, dropped[1].accuracy);
    ck_assert_double_gt(fabs(kept[1].loss - kept[0].loss), 1e-4);
    run = HEADS("importance", folder, "--drop", "L0H*,L1H*");
    ck_assert_ptr_nonnull(strstr(run.out, "Heads kept: none.\n"));
}

/* A config.ini may come from anywhere: the whole set of this one would take 64 GiB. Some of it is the same examples. */
TEST(a_validation_set_of_any_size_takes_the_memory_of_a_slice)
{
    hl_opened_model run;
    CHECK_OK(hl_opened_model_open(&run, TINY_RUN("run")));
    hl_heads_validation small, large;
    CHECK_OK(hl_heads_validation_make(&small, &run.source));
    run.source.config.train.eval_examples = (int64_t)1 << 29;
    CHECK_OK(hl_heads_validation_make(&large, &run.source));
    ck_assert_int_eq(large.room.n_rows, run.source.rows_at_once);
    ck_assert_int_le(large.room.n_examples, run.source.rows_at_once);
    hl_batch one, other;
    CHECK_OK(hl_heads_validation_slice(&small, 0, &one));
    int64_t second = one.n_examples;
    ck_assert_int_gt(small.n_examples, second); /* or the second part would not be seen */
    CHECK_OK(hl_heads_validation_slice(&small, second, &one));
    CHECK_OK(hl_heads_validation_slice(&large, second, &other));
    ck_assert_int_le(one.n_rows, other.n_rows);
    ck_assert_int_le(other.n_rows, run.source.rows_at_once);
    ck_assert_mem_eq(one.tokens, other.tokens, (size_t)one.n_rows * sizeof *one.tokens);
    hl_heads_validation_free(&small);
    hl_heads_validation_free(&large);
    hl_opened_model_close(&run);
}

TEST(what_is_wrong_is_one_line)
{
    const char *folder = TINY_RUN("run");
    static const struct {
        const char *option, *value, *part;
    } wrong[] = {
        { "--drop", "L0H2", "runs.drop_l0h2_no_head_2_in" },
        { "--keep", "L0H0,L5H0", "runs.keep_l5h0_no_layer_5" },
        { "--keep", "all", "runs.keep_all_names_no_head" },
        { "--keep", "", "runs.keep_its_value_is_empty" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = REFUSED(HEADS("importance", folder, wrong[i].option, wrong[i].value), 2, wrong[i].part);
        ck_assert_str_eq(run.out, "");
    }
    REFUSED(HEADS("importance", folder, "--drop", "L0H0", "--keep", "L1H1"), 2,
            "runs.keep_and_drop_exclude_each_other");
}

SUITE("heads importance --keep, --drop")
