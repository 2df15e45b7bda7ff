/* heads RUN --keep-only and --drop, on a run of the tiny config: two layers of two heads. */
#include "study/model.h"
#include "study/validation.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *train(void)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_tiny_config(), "--quiet", "--out", folder);
    return folder;
}

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
    const char *folder = train();
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    run_result run = HEADS(folder, "--keep-only", "L0H*,L1H*");
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.out, "weights of step 24"));
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
    const char *folder = train();
    run_result run = HEADS(folder, "--keep-only", "L0H1,L1H0");
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.out, "Heads kept: L0H1, L1H0.\n"));
    row kept[2], dropped[2];
    read_rows(run.out, kept);
    run = HEADS(folder, "--drop=L1H1,L0H0");
    ck_assert_int_eq(run.code, 0);
    read_rows(run.out, dropped);
    ck_assert_int_eq(kept[1].heads, 2);
    ck_assert_int_eq(dropped[1].heads, 2);
    ck_assert_double_eq(kept[1].loss, dropped[1].loss);
    ck_assert_double_eq(kept[1].accuracy, dropped[1].accuracy);
    ck_assert_double_gt(fabs(kept[1].loss - kept[0].loss), 1e-4);
    run = HEADS(folder, "--drop", "L0H*,L1H*");
    ck_assert_ptr_nonnull(strstr(run.out, "Heads kept: none.\n"));
}

/* A config.ini may come from anywhere: the whole set of this one would take 64 GiB. Some of it is the same examples. */
TEST(a_validation_set_of_any_size_takes_the_memory_of_a_slice)
{
    hl_opened_model run;
    ck_assert_int_eq(hl_opened_model_open(&run, train()).code, HL_OK);
    hl_heads_validation small, large;
    ck_assert_int_eq(hl_heads_validation_make(&small, &run.source).code, HL_OK);
    run.source.config.train.eval_examples = (int64_t)1 << 29;
    ck_assert_int_eq(hl_heads_validation_make(&large, &run.source).code, HL_OK);
    ck_assert_int_eq(large.room.n_rows, run.source.rows_at_once);
    ck_assert_int_le(large.room.n_examples, run.source.rows_at_once);
    hl_batch one, other;
    ck_assert_int_eq(hl_heads_validation_slice(&small, 0, &one).code, HL_OK);
    int64_t second = one.n_examples;
    ck_assert_int_gt(small.n_examples, second); /* or the second part would not be seen */
    ck_assert_int_eq(hl_heads_validation_slice(&small, second, &one).code, HL_OK);
    ck_assert_int_eq(hl_heads_validation_slice(&large, second, &other).code, HL_OK);
    ck_assert_int_le(one.n_rows, other.n_rows);
    ck_assert_int_le(other.n_rows, run.source.rows_at_once);
    ck_assert_mem_eq(one.tokens, other.tokens, (size_t)one.n_rows * sizeof *one.tokens);
    hl_heads_validation_free(&small);
    hl_heads_validation_free(&large);
    hl_opened_model_close(&run);
}

TEST(what_is_wrong_is_one_line)
{
    const char *folder = train();
    static const struct {
        const char *option, *value, *part;
    } wrong[] = {
        { "--drop", "L0H2", "command line: --drop: \"L0H2\": no head 2 in layer 0; there L0H0 .. L0H1" },
        { "--keep-only", "L0H0,L5H0", "command line: --keep-only: \"L5H0\": no layer 5; the layers are 0 .. 1" },
        { "--keep-only", "all", "command line: --keep-only: \"all\" names no head; they are L0H0 .. L1H1" },
        { "--keep-only", "", "command line: --keep-only: its value is empty" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = HEADS(folder, wrong[i].option, wrong[i].value);
        ck_assert_int_eq(run.code, 2);
        ck_assert_str_eq(run.out, "");
        ck_assert_msg(strstr(run.err, wrong[i].part) != NULL, "%s", run.err);
        ck_assert_msg(strchr(run.err, '\n') == strrchr(run.err, '\n'), "more than a line: %s", run.err);
    }
    run_result run = HEADS(folder, "--drop", "L0H0", "--keep-only", "L1H1");
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "--drop does not go with --keep-only"));
}

SUITE("heads --keep-only, --drop")
