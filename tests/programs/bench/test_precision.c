/* train.precision and model.attention in what bench measures. */
#include "core/base/text.h"
#include "core/kernels/bf16.h"
#include "programs/bench/table.h"
#include "tests/check_suite.h"
#include "tests/programs/bench/test_bench.h"
#include "tests/runs/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A measuring process's line. */
static json_t *measured(const char *what, const char *width, const char *override)
{
    return answer_json(OK(BENCH_NOTHING("--measure", what, run_config("x.ini", BENCH_TINY), "task.length=30", width,
                                        override, "--threads", "1", "--seconds", "0.01"))
                           .out);
}

static void expect_precision(const char *override, const char *expected)
{
    ck_assert_str_eq(text_at(measured("step", "model.d_model=16", override), "precision"), expected);
}

TEST(the_precision_is_that_of_the_steps)
{
    expect_precision("train.precision=float", "float");
    expect_precision("train.precision=auto", hl_bf16_missing() == NULL ? "bf16" : "float");
    if (hl_bf16_missing() == NULL) {
        expect_precision("train.precision=bf16", "bf16");
    }
}

/* The row says so, since its share is of a rate in float. */
TEST(a_row_in_bf16_says_so)
{
    static const char told[] = "in bf16; sgemm is the rate of products in float\n";
    hl_bench_figures workload = { .name = "x", .ms = 1, .precision = "bf16" };
    for (int i = 0; i < 2; i++) {
        hl_text *text = scratch_text();
        hl_bench_table_row(text, &workload);
        CHECK_OK(hl_text_status(text));
        ck_assert((strstr(text->bytes, told) != NULL) == (i == 0));
        snprintf(workload.precision, sizeof workload.precision, "float");
    }
}

TEST(headings_say_what_is_in_bf16)
{
    static const char *const modes[] = { "--scaling", "--heads" }, *const told[] = { ".ini in bf16, ", ", in bf16\n" };
    const char *config = run_config("x.ini", BENCH_TINY);
    for (int i = 0; i < 2; i++) {
        run_result result = BENCH_NOTHING(config, modes[i], "train.precision=auto");
        ck_assert((strstr(result.out, told[i]) != NULL) == (hl_bf16_missing() == NULL));
        result = BENCH_NOTHING(config, modes[i]);
        ck_assert_ptr_null(strstr(result.out, "bf16"));
    }
}

/* LIBXSMM told to use less is a machine without bf16. */
TEST(auto_that_is_float_here_is_told)
{
    static const char told[] = "x.ini: train.precision: auto is float here: ";
    const char *config = run_config("x.ini", BENCH_TINY);
    setenv("LIBXSMM_TARGET", "skx", 1);
    static const char *const modes[] = { "--scaling", "--heads", "--profile" };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        run_result result = BENCH_NOTHING(config, modes[i], "train.precision=auto", "--threads", "1");
        const char *line = strstr(result.err, told);
        ck_assert_msg(line != NULL && strstr(line + 1, told) == NULL, "%s", result.err);
    }
    FAILS_SAYING(BENCH_NOTHING(config, "train.precision=bf16"), 2, "train.precision: no bf16: ");
}

/* The memory of a step of one layer, MiB. */
static double layer_mib(const char *what, const char *width, const char *override)
{
    double mib = number_at(measured(what, width, override), "arena_mib");
    ck_assert_double_gt(mib, 0);
    return mib;
}

/* What is kept and packed for it is seen in its memory: in bf16 more is packed, in half the bytes. */
TEST(a_layer_is_measured_as_the_config_computes_it)
{
    const char *narrow = "model.d_model=16", *wide = "model.d_model=128";
    double kept = layer_mib("heads", narrow, "model.attention=keep");
    ck_assert_double_lt(layer_mib("heads", narrow, "model.attention=recompute"), kept);
    ck_assert_double_eq(layer_mib("heads", narrow, "model.attention=auto"), kept);
    if (hl_bf16_missing() == NULL) {
        ck_assert_double_ne(layer_mib("heads", wide, "train.precision=bf16"),
                            layer_mib("heads", wide, "train.precision=float"));
        ck_assert_double_ne(layer_mib("loop", wide, "train.precision=bf16"),
                            layer_mib("loop", wide, "train.precision=float"));
    }
}

SUITE("bench precision", .seconds = 60)
