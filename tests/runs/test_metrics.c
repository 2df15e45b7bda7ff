/* What the rows of metrics.csv say of a run, and which of its weights are kept for it. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loss in the row of that step and split. */
static double loss_at(const char *folder, int step, const char *split)
{
    const char *begin = scratch_format("\n%d,%s,", step, split);
    const char *row = strstr(run_read(run_file(folder, "metrics.csv")), begin);
    ck_assert_msg(row != NULL, "no row of step %d, %s", step, split);
    return strtod(row + strlen(begin), NULL);
}

TEST(a_training_row_is_the_mean_since_the_row_before)
{
    const char *all = TINY_RUN("all", "train.log_every=1"), *means = TINY_RUN("means", "train.log_every=3");
    for (int step = 3; step <= 24; step += 3) {
        double sum = loss_at(all, step - 2, "train") + loss_at(all, step - 1, "train") + loss_at(all, step, "train");
        ck_assert_double_eq_tol(loss_at(means, step, "train"), sum / 3, 1e-6);
    }
}

TEST(the_weights_kept_are_those_of_the_best_validation)
{
    const char *folder = TINY_RUN("run");
    int best = 0;
    for (int step = 4; step <= 24; step += 4) {
        best = loss_at(folder, step, "validation") < loss_at(folder, best, "validation") ? step : best;
    }
    ck_assert_int_gt(best, 0);
    ck_assert_int_eq(run_weights_step(run_file(folder, "model.safetensors")), best);
}

SUITE("metrics of a run")
