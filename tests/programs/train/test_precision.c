/* train.precision: what it changes and what it does not, who follows it, when it is refused. */
#include "core/bf16.h"
#include "study/model.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BF16 "train.precision=bf16"
#define AUTO "train.precision=auto"
#define CONSTANT "optimizer.schedule=constant"

static bool here(void)
{
    return hl_bf16_missing() == NULL;
}

static bool says(const char *folder, const char *line)
{
    return strstr(run_read(run_file(folder, "config.ini")), line) != NULL;
}

START_TEST(bf16_changes_results_a_little)
{
    if (!here()) {
        return;
    }
    const char *config = run_tiny_config(), *wide = run_path("float"), *narrow = run_path("bf16");
    EXPECT_RUN(0, config, "--out", wide);
    EXPECT_RUN(0, config, BF16, "--out", narrow);
    ck_assert(says(wide, "\nprecision = float\n") && says(narrow, "\nprecision = bf16\n"));
    ck_assert_str_ne(run_metrics(wide), run_metrics(narrow));
    double losses[2], accuracy;
    run_last_row(wide, "validation", &losses[0], &accuracy);
    run_last_row(narrow, "validation", &losses[1], &accuracy);
    ck_assert_double_le(fabs(losses[1] / losses[0] - 1), 0.02);
}
END_TEST

START_TEST(in_bf16_bits_do_not_depend_on_threads_or_recording)
{
    if (!here()) {
        return;
    }
    setenv("OMP_WAIT_POLICY", "passive", 1); /* there may be fewer cores */
    const char *config = run_shipped_config("copy_task.ini"), *straight = run_path("1");
    static const char *const others[] = { "train.threads=1", "train.threads=2", "train.threads=3", "train.threads=4",
                                          "patterns.examples=0" };
    for (int i = 0; i < 5; i++) {
        const char *folder = i == 0 ? straight : run_path(others[i]);
        run_result run = RUN_BUILT(config, BF16, others[i], "train.steps=6", "train.batch_size=61", "task.length=11",
                                   "train.eval_examples=100", "model.dropout=0.1", "train.eval_every=3",
                                   "model.activation=gelu", "model.tie_embedding=true", "--out", folder);
        ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
        run_assert_same_results(straight, folder);
        if (i < 4) {
            run_assert_same(straight, folder);
        }
    }
}
END_TEST

START_TEST(a_run_in_bf16_is_resumed_in_bf16)
{
    if (!here()) {
        return;
    }
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    EXPECT_RUN(0, config, BF16, CONSTANT, "--out", straight);
    EXPECT_RUN(0, config, BF16, CONSTANT, "train.steps=12", "--out", folder);
    run_result run = RUN(config, CONSTANT, "--resume", "--out", folder);
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "train.precision differs from the run's own"));
    EXPECT_RUN(0, config, AUTO, CONSTANT, "--resume", "--out", folder);
    run_assert_same_results(straight, folder);
}
END_TEST

START_TEST(auto_is_what_the_run_was_begun_with)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    EXPECT_RUN(0, config, AUTO, "--out", straight);
    ck_assert(says(straight, here() ? "\nprecision = bf16\n" : "\nprecision = float\n"));
    EXPECT_RUN(0, config, CONSTANT, "--out", straight, "--overwrite");
    EXPECT_RUN(0, config, CONSTANT, "train.steps=12", "--out", folder);
    EXPECT_RUN(0, config, AUTO, CONSTANT, "--resume", "--out", folder);
    ck_assert(says(folder, "\nprecision = float\n"));
    run_assert_same_results(straight, folder);
}
END_TEST

/* The validation that training wrote down is what the opened run computes, to the last bit. */
START_TEST(programs_that_open_a_run_follow_its_precision)
{
    if (!here()) {
        return;
    }
    const char *config = run_tiny_config(), *folder = run_path("run");
    EXPECT_RUN(0, config, BF16, "--out", folder);
    hl_opened_model run;
    ck_assert_int_eq(hl_opened_model_open(&run, folder).code, HL_OK);
    ck_assert(run.shape.bf16);
    hl_opened_model_close(&run);
    run_result heads = HEADS(folder, "--keep-only", "L0H0");
    ck_assert_msg(heads.code == 0, "%s", heads.err);
}
END_TEST

/* LIBXSMM told to use less is a machine without the instruction. */
START_TEST(without_the_instruction_bf16_is_refused_and_auto_is_float)
{
    setenv("LIBXSMM_TARGET", "skx", 1);
    const char *config = run_tiny_config(), *folder = run_path("run"), *wide = run_path("float");
    run_result run = RUN_BUILT(config, BF16, "--out", folder);
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "train.precision: no bf16: "));
    ck_assert_str_eq(run_list(folder), "");
    run = RUN_BUILT(config, AUTO, "--out", folder);
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.err, "train.precision: auto is float here: "));
    ck_assert(says(folder, "\nprecision = float\n"));
    run = RUN_BUILT(config, "--out", wide);
    run_assert_same(wide, folder);
    ck_assert_ptr_null(strstr(run.err, "precision"));
}
END_TEST

START_TEST(a_run_in_bf16_is_refused_where_it_cannot_be_computed)
{
    if (!here()) {
        return;
    }
    const char *config = run_tiny_config(), *folder = run_path("run");
    EXPECT_RUN(0, config, BF16, "--out", folder);
    setenv("LIBXSMM_TARGET", "skx", 1);
    run_result run = RUN_BUILT(config, AUTO, "--resume", "--out", folder);
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "train.precision: no bf16: "));
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, bf16_changes_results_a_little);
    tcase_add_test(tc, in_bf16_bits_do_not_depend_on_threads_or_recording);
    tcase_add_test(tc, a_run_in_bf16_is_resumed_in_bf16);
    tcase_add_test(tc, auto_is_what_the_run_was_begun_with);
    tcase_add_test(tc, programs_that_open_a_run_follow_its_precision);
    tcase_add_test(tc, without_the_instruction_bf16_is_refused_and_auto_is_float);
    tcase_add_test(tc, a_run_in_bf16_is_refused_where_it_cannot_be_computed);
}
SUITE("precision", add_tests)
