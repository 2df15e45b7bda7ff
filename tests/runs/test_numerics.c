/* Runs at the ends of what numbers and sizes can be. */
#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/safetensors_file.h"
#include "tests/train/trainer_example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- learning rates ---- */

#define DIVERGING                                                                                             \
    "optimizer.schedule=constant", "optimizer.clip_norm=0", "optimizer.learning_rate=1000", "model.layers=4", \
        "task.length=3", "train.steps=60", "train.checkpoint_every=1", "train.threads=1", "train.eval_examples=32"

static const char *const optimizers[] = { "optimizer.name=adam", "optimizer.name=adamw", "optimizer.name=sgd" };

static void assert_finite(const char *path)
{
    hl_safetensors *file = safetensors_file_whole(path);
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        int64_t count = hl_shape_count(hl_safetensors_shape(file, i));
        hl_real *numbers = hl_calloc((size_t)count, sizeof *numbers);
        safetensors_file_copy(file, i, numbers);
        for (int64_t n = 0; n < count; n++) {
            ck_assert(isfinite(numbers[n]));
        }
        hl_free(numbers);
    }
}

LOOP_TEST(the_largest_rate_ends_a_run_at_the_step_it_names_and_at_the_same_when_resumed, 0,
          sizeof optimizers / sizeof *optimizers)
{
    const char *config = run_shipped_config("copy_task.ini"), *folder = run_path("run");
    run_result run = RUN(config, DIVERGING, optimizers[_i], "--out", folder);
    ck_assert_msg(run.code == 4, "exit code %d: %s", run.code, run.err);
    ck_assert_msg(strncmp(run.err, "step ", 5) == 0 && strchr(run.err, '\n')[1] == '\0', "%s", run.err);
    /* Which parameter is the first to overflow depends on the kernels of OpenBLAS for this processor. */
    ck_assert_msg(strstr(run.err, "encoder.") != NULL || strstr(run.err, "output") != NULL ||
                      strstr(run.err, "embedding.weight") != NULL,
                  "%s", run.err);
    assert_finite(run_file(folder, "checkpoint.safetensors"));
    assert_finite(run_file(folder, "model.safetensors"));
    run_result again = RUN(config, DIVERGING, optimizers[_i], "--resume", "--out", folder);
    ck_assert_int_eq(again.code, 4);
    ck_assert_str_eq(again.err, run.err);
}

LOOP_TEST(the_smallest_rate_changes_next_to_nothing, 0, sizeof optimizers / sizeof *optimizers)
{
    const char *folder = TINY_RUN("run", optimizers[_i], "optimizer.schedule=constant", "optimizer.learning_rate=1e-12",
                                  "optimizer.weight_decay=0");
    double first, last;
    const char *metrics = run_read(run_file(folder, "metrics.csv"));
    ck_assert_int_eq(sscanf(strstr(metrics, "\n0,validation,"), "\n0,validation,%lf", &first), 1);
    ck_assert_int_eq(sscanf(strstr(metrics, "\n24,validation,"), "\n24,validation,%lf", &last), 1);
    ck_assert_double_eq_tol(first, last, 1e-6);
}

/* ---- lengths ---- */

TEST(a_single_token_can_be_trained_on_and_looked_at)
{
    const char *folder =
        TINY_RUN("run", "task.name=identity_copy", "task.length=1", "model.max_length=1", "train.eval_examples=4");
    const char *heads = run_read(run_file(folder, "heads.csv"));
    ck_assert_ptr_null(strstr(heads, "nan"));
    ck_assert_ptr_null(strstr(heads, "inf"));
    ck_assert_ptr_nonnull(strstr(heads, "24,1,1,offset(0),1,1\n"));
    run_result shown = OK(HEADS(folder));
    ck_assert_ptr_null(strstr(shown.out, "nan"));
}

TEST(sequences_may_fill_the_positions_and_not_exceed_them)
{
    static const char *const positions[] = { "model.positions=sinusoidal", "model.positions=learned" };
    for (int i = 0; i < 2; i++) {
        EXPECT_RUN(0, run_tiny_config(), positions[i], "task.length=3", "model.max_length=7", "--overwrite", "--out",
                   run_path("run"));
        REFUSED(RUN(run_tiny_config(), positions[i], "task.length=3", "model.max_length=6", "--overwrite", "--out",
                    run_path("run")),
                2, "runs.model_max_length_6_is_too");
    }
}

/* ---- denormal numbers ---- */

/* A thread in which such numbers were taken for 0 would leave other bits. */
static void train_small_weights(int threads, hl_trainer *trainer)
{
    static hl_config config;
    config_parse("[task]\nlength = 20\n[model]\nd_model = 64\nheads = 4\nlayers = 2\ndropout = 0.1\n"
                 "[optimizer]\nname = sgd\nclip_norm = 0\nlearning_rate = 1\nschedule = constant\n"
                 "[train]\nbatch_size = 16\neval_examples = 8\n",
                 &config);
    config.train.threads = threads;
    trainer_make(trainer, &config);
    hl_parameters *parameters = &trainer->model.parameters;
    int denormal = 0;
    for (int64_t i = 0; i < parameters->count; i++) {
        parameters->values[i] = ldexpf(parameters->values[i], i % 2 == 0 ? -130 : -60);
        denormal += fpclassify(parameters->values[i]) == FP_SUBNORMAL;
    }
    ck_assert_int_gt(denormal, 10000);
    trainer_updated(trainer, 2);
}

TEST(denormal_weights_are_trained_to_the_same_bits_by_any_number_of_threads)
{
    hl_trainer one, many;
    train_small_weights(1, &one);
    const hl_parameters *parameters = &one.model.parameters;
    int denormal = 0;
    for (int64_t i = 0; i < parameters->count; i++) {
        ck_assert(isfinite(parameters->values[i]));
        denormal += fpclassify(parameters->values[i]) == FP_SUBNORMAL;
    }
    ck_assert_int_gt(denormal, 1000); /* those whose gradients are smaller still */
    for (int threads = 2; threads <= 4; threads++) {
        train_small_weights(threads, &many);
        ck_assert_mem_eq(parameters->values, many.model.parameters.values, (size_t)parameters->count * sizeof(hl_real));
        hl_trainer_free(&many);
    }
    hl_trainer_free(&one);
}

SUITE("numerics", .seconds = 60)
