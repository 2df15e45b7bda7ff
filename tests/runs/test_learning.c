/* Short real runs: whatever the heads, the loss falls. tests/claims solves whole tasks. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/runs/shipped_configs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LOOP_TEST(any_heads_learn, 0, 17)
{
    static const char *const heads[][4] = {
        { "model.heads=1" },
        { "model.heads=2" },
        { "model.heads=4" },
        { "model.heads=8" },
        { "model.heads=4", "model.d_k=3", "model.d_v=5" },
        { "model.heads=3", "model.d_k=8", "model.d_v=2" },
        { "model.heads=4, 2", "model.d_k=4, 6", "model.d_v=3, 8" },
        { "model.heads=4", "model.kv_heads=2" },
        { "model.heads=4, 8", "model.kv_heads=1, 4", "model.d_k=5, 2" },
        { "model.norm=post" },
        { "model.causal=true" },
        { "model.positions=learned", "model.activation=gelu" },
        { "model.bias=false", "model.tie_embedding=true" },
        { "optimizer.name=adamw", "optimizer.weight_decay=0.01", "optimizer.schedule=linear" },
        { "optimizer.name=sgd", "optimizer.learning_rate=0.5" },
        { "optimizer.schedule=noam", "optimizer.learning_rate=0.3" },
        { "task.min_length=1", "train.batch_size=16", "optimizer.accumulate=4" },
    };
    const char *folder = run_path("run"), *const *h = heads[_i];
    EXPECT_RUN(0, run_tiny_config(), "model.dropout=0", "train.steps=80", "--out", folder, h[0],
               h[1] != NULL ? h[1] : "--quiet", h[2] != NULL ? h[2] : "--quiet");
    double first, last, accuracy;
    ck_assert_int_eq(sscanf(strchr(run_metrics(folder), '\n'), "\n0,validation,%lf", &first), 1);
    run_last_row(folder, "validation", &last, &accuracy);
    ck_assert_msg(last < 0.8 * first, "%s: loss %g after %g", h[0], last, first);
}

TEST(micro_batches_give_the_losses_of_the_whole_batch)
{
    static const char *const parts[] = { "optimizer.accumulate=1", "optimizer.accumulate=2", "optimizer.accumulate=8" };
    const char *metrics[3];
    for (int i = 0; i < 3; i++) {
        const char *folder = run_path(parts[i]);
        EXPECT_RUN(0, run_tiny_config(), "task.min_length=1", "train.steps=8", "train.log_every=1", parts[i], "--out",
                   folder);
        metrics[i] = run_metrics(folder);
    }
    int rows = 0;
    for (const char *a = metrics[0]; (a = strstr(a, ",train,")) != NULL; a++, rows++) {
        for (int i = 1; i < 3; i++) {
            metrics[i] = strstr(metrics[i], ",train,") + 1;
            double whole = strtod(a + 7, NULL), in_parts = strtod(metrics[i] + 6, NULL);
            ck_assert_double_eq_tol(in_parts, whole, 1e-6 * whole);
        }
    }
    ck_assert_int_eq(rows, 8);
}

LOOP_TEST(every_shipped_config_learns, 0, SHIPPED_CONFIGS)
{
    const shipped_config *shipped = &shipped_configs[_i];
    const char *folder = run_path("run");
    EXPECT_RUN(
        0, run_shipped_config(shipped->name), shipped->few_steps, shipped->file != NULL ? shipped->file : "--quiet",
        shipped->batch != NULL ? shipped->batch : "train.batch_size=8", "train.log_every=10", "train.eval_examples=32",
        "train.threads=1", "optimizer.warmup_steps=5", "patterns.examples=2", "--out", folder);
    double first, last, accuracy;
    const char *row = strstr(run_metrics(folder), ",train,");
    ck_assert(row != NULL && sscanf(row, ",train,%lf", &first) == 1);
    run_last_row(folder, "train", &last, &accuracy);
    ck_assert_msg(last < shipped->share * first, "%s: loss %g after %g", shipped->name, last, first);
}

/* Each config either names its file or says how to name one. */
LOOP_TEST(a_config_for_ones_own_file_asks_for_it, 0, SHIPPED_CONFIGS)
{
    const shipped_config *shipped = &shipped_configs[_i];
    run_result run = RUN(run_shipped_config(shipped->name), "--check");
    const char *asks = scratch_format("%s: task.file is missing: name the file to learn from, as task.file=FILE\n",
                                      run_shipped_config(shipped->name));
    ck_assert_msg(run.code == (shipped->file != NULL ? 2 : 0), "%s: %d", shipped->name, run.code);
    ck_assert_str_eq(run.err, shipped->file != NULL ? asks : "");
}

TEST(every_shipped_config_is_among_these)
{
    const char *names = run_list(HL_CONFIGS);
    for (const char *at = names; *at != '\0'; at += strcspn(at, " ") + 1) {
        int length = (int)strcspn(at, " "), rows = length < 4 || strncmp(at + length - 4, ".ini", 4) != 0;
        for (int i = 0; i < SHIPPED_CONFIGS; i++) {
            rows += strncmp(shipped_configs[i].name, at, (size_t)length) == 0;
        }
        ck_assert_msg(rows > 0, "configs/%.*s has no row in tests/runs/shipped_configs.h", length, at);
    }
}

SUITE("learning")
