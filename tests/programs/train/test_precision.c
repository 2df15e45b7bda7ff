/* train.precision: what it changes and what it does not, who follows it, when it is refused. */
#include "core/kernels/bf16.h"
#include "study/model.h"
#include "study/validation.h"
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

TEST(bf16_changes_results_a_little)
{
    if (!here()) {
        return;
    }
    const char *wide = TINY_RUN("float"), *narrow = TINY_RUN("bf16", BF16);
    ck_assert(says(wide, "\nprecision = float\n") && says(narrow, "\nprecision = bf16\n"));
    ck_assert_str_ne(run_metrics(wide), run_metrics(narrow));
    double losses[2], accuracy;
    run_last_row(wide, "validation", &losses[0], &accuracy);
    run_last_row(narrow, "validation", &losses[1], &accuracy);
    ck_assert_double_le(fabs(losses[1] / losses[0] - 1), 0.02);
}

TEST(in_bf16_bits_do_not_depend_on_threads_or_recording)
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
        OK(RUN_BUILT(config, BF16, others[i], "train.steps=6", "train.batch_size=61", "task.length=11",
                     "train.eval_examples=100", "model.dropout=0.1", "train.eval_every=3", "model.activation=gelu",
                     "model.tie_embedding=true", "--out", folder));
        run_assert_same_results(straight, folder);
        if (i < 4) {
            run_assert_same(straight, folder);
        }
    }
}

TEST(a_run_in_bf16_is_resumed_in_bf16)
{
    if (!here()) {
        return;
    }
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight", BF16, CONSTANT),
               *folder = TINY_RUN("run", BF16, CONSTANT, "train.steps=12");
    REFUSED(RUN(config, CONSTANT, "--resume", "--out", folder), 2, "train.train_precision_differs_from_the_run");
    EXPECT_RUN(0, config, AUTO, CONSTANT, "--resume", "--out", folder);
    run_assert_same_results(straight, folder);
}

TEST(auto_is_what_the_run_was_begun_with)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight", AUTO), *folder = run_path("run");
    ck_assert(says(straight, here() ? "\nprecision = bf16\n" : "\nprecision = float\n"));
    EXPECT_RUN(0, config, CONSTANT, "--out", straight, "--overwrite");
    EXPECT_RUN(0, config, CONSTANT, "train.steps=12", "--out", folder);
    EXPECT_RUN(0, config, AUTO, CONSTANT, "--resume", "--out", folder);
    ck_assert(says(folder, "\nprecision = float\n"));
    run_assert_same_results(straight, folder);
}

/* The validation that training wrote down is what the opened run computes, to the last bit. */
TEST(programs_that_open_a_run_follow_its_precision)
{
    if (!here()) {
        return;
    }
    const char *folder = TINY_RUN("run", BF16);
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    hl_opened_model run;
    hl_heads_validation validation;
    hl_subset_worth worth;
    CHECK_OK(hl_opened_model_open(&run, folder));
    ck_assert(run.source.shape.bf16 && hl_bf16_missing() == NULL);
    CHECK_OK(hl_opened_model_load(&run, -1));
    CHECK_OK(hl_heads_validation_make(&validation, &run.source));
    CHECK_OK(hl_heads_validate(&validation, &run.model, NULL, &worth));
    hl_heads_validation_free(&validation);
    hl_opened_model_close(&run);
    char found[32], written[32]; /* as metrics.csv has them, which is enough to tell two floats apart */
    snprintf(found, sizeof found, "%.9g,%.9g", worth.loss, worth.accuracy);
    snprintf(written, sizeof written, "%.9g,%.9g", loss, accuracy);
    ck_assert_str_eq(found, written);
    run_result heads = OK(HEADS("importance", folder, "--keep", "L0H0"));
    ck_assert_str_eq(heads.err, "");
}

static const char *lesser_target(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512vl") ? "skx" : "hsw";
#else
    return "generic";
#endif
}

/* LIBXSMM told to use less, but no more than the CPU has, is a machine without the instruction. */
TEST(without_the_instruction_bf16_is_refused_and_auto_is_float)
{
    setenv("LIBXSMM_TARGET", lesser_target(), 1);
    const char *config = run_tiny_config(), *folder = run_path("run"), *wide = run_path("float");
    REFUSED_SAYING(RUN_BUILT(config, BF16, "--out", folder), 2, "train.precision: no bf16: ");
    ck_assert_str_eq(run_list(folder), "");
    run_result run = OK(RUN_BUILT(config, AUTO, "--out", folder));
    ck_assert_ptr_nonnull(strstr(run.err, "train.precision: auto is float here: "));
    ck_assert(says(folder, "\nprecision = float\n"));
    run = RUN_BUILT(config, "--out", wide);
    run_assert_same(wide, folder);
    ck_assert_ptr_null(strstr(run.err, "precision"));
}

TEST(a_run_in_bf16_is_refused_where_it_cannot_be_computed)
{
    if (!here()) {
        return;
    }
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", BF16);
    setenv("LIBXSMM_TARGET", "skx", 1);
    REFUSED_SAYING(RUN_BUILT(config, AUTO, "--resume", "--out", folder), 2, "train.precision: no bf16: ");
}

static const char *answer_of(const char *program, const char *const *arguments, const char *said)
{
    run_result run = OK(run_with((run_options){ .arguments = arguments, .built = true, .built_program = program }));
    ck_assert_msg(said != NULL ? strstr(run.err, said) != NULL : *run.err == '\0', "%s", run.err);
    return run_kept(run.out);
}

/* As on a laptop: other figures than in bf16, and a notice; a run in float has neither. */
TEST(a_run_in_bf16_is_looked_at_in_float_where_it_cannot_be_computed)
{
    if (!here()) {
        return;
    }
    const char *folder = TINY_RUN("run", BF16), *wide = TINY_RUN("float", "train.steps=1");
    const char *const question[] = { "importance", folder, "--keep", "L0H0", "--json", NULL },
                      *const other[] = { "importance", wide, "--keep", "L0H0", "--json", NULL },
                      *const both[] = { "compare", wide, folder, "--json", NULL }, *const table[] = { folder, NULL };
    const char *narrow = answer_of(HL_HEADS_PROGRAM, question, NULL),
               *float_there = answer_of(HL_HEADS_PROGRAM, other, NULL);
    setenv("LIBXSMM_TARGET", "skx", 1);
    const char *told = "run: computed in float: ";
    ck_assert_str_ne(answer_of(HL_HEADS_PROGRAM, question, told), narrow);
    ck_assert_str_eq(answer_of(HL_HEADS_PROGRAM, other, NULL), float_there);
    answer_of(HL_HEADS_PROGRAM, both, told);
    answer_of(HL_HEADS_PROGRAM, table, told);
}

TEST(predict_answers_in_float_where_bf16_is_not_to_be_had)
{
    if (!here()) {
        return;
    }
    const char *config =
        run_config("text.ini", "[task]\nname = masked\nfile = text.txt\nvalidation_file = text.txt\n[tokens]\n"
                               "kind = words\n[model]\nlayers = 1\nd_model = 16\nheads = 2\nmax_length = 16\n"
                               "[train]\nsteps = 2\nbatch_size = 2\neval_examples = 0\nprecision = bf16\n");
    run_config("text.txt", "the cat sat on the mat\nthe dog saw the cat\n");
    EXPECT_RUN(0, config, "--out", run_path("run"), "--quiet");
    const char *const tokens[] = { run_path("run"), run_path("text.txt"), "--tokens", NULL }, *const score[] = {
        run_path("run"), "--score", run_path("text.txt"), "--json", NULL
    };
    const char *narrow = answer_of(HL_PREDICT_PROGRAM, score, NULL);
    setenv("LIBXSMM_TARGET", "skx", 1);
    ck_assert_str_ne(answer_of(HL_PREDICT_PROGRAM, score, "run: computed in float: "), narrow);
    answer_of(HL_PREDICT_PROGRAM, tokens, NULL);
}

SUITE("precision")
