/* How far float comes from double in 100 steps, beside what PyTorch's float32 does from its float64. */
#include "tests/check_suite.h"
#include "tests/golden/accuracy_golden.h"
#include "tests/optim/accuracy_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The rounding of the weight itself, which neither can spare, is noise: of this many numbers and steps the root mean
 * square comes out by up to 1% more or less. PyTorch's kernels round a product and a sum once (FMA); a build for
 * processors that may lack it rounds twice, which costs SGD up to 8%. */
#if defined __FMA__ || defined FP_FAST_FMAF
static const double chance = 1.02;
#else
static const double chance = 1.1;
#endif

/* Both are given the same gradients: what differs is the rounding of moments and weights. */
LOOP_TEST(updates_round_no_worse_than_pytorchs, 0, ROWS(accuracy_alone))
{
    static double single[ACCURACY_UPDATES][ACCURACY_NUMBERS], wide[ACCURACY_UPDATES][ACCURACY_NUMBERS];
    ck_assert(accuracy_alone_run(_i, single));
    ck_assert(double_accuracy_alone_run(_i, wide));
    for (int i = 0; i < ACCURACY_SHOWN; i++) {
        double expected = accuracy_alone[_i].last[i], got = wide[ACCURACY_STEPS - 1][i];
        ck_assert_msg(fabs(got - expected) <= 1e-12, "number %d is %.17g in double, PyTorch has %.17g", i, got,
                      expected);
    }
    double squares = 0;
    for (int step = 0; step < ACCURACY_UPDATES; step++) {
        for (int i = 0; i < ACCURACY_NUMBERS; i++) {
            double error = single[step][i] - wide[step][i];
            squares += error * error;
        }
    }
    double drift = sqrt(squares / (ACCURACY_UPDATES * ACCURACY_NUMBERS)), theirs = accuracy_alone[_i].drift;
    ck_assert_msg(drift <= chance * theirs, "float is %.3g from double, PyTorch %.3g", drift, theirs);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double drifts[ACCURACY_SEEDS])
{
    qsort(drifts, ACCURACY_SEEDS, sizeof *drifts, ascending);
    return drifts[ACCURACY_SEEDS / 2];
}

/* A training amplifies any rounding, so that one curve says little: a ReLU that is off in one precision and on in the
 * other is a step that either may meet first. */
LOOP_TEST(whole_trainings_drift_no_more_than_pytorchs, 0, ROWS(accuracy_trainings))
{
    double ours[ACCURACY_SEEDS] = { 0 }, theirs[ACCURACY_SEEDS] = { 0 };
    for (int s = 0; s < ACCURACY_SEEDS; s++) {
        double single[ACCURACY_UPDATES], wide[ACCURACY_UPDATES];
        ck_assert(accuracy_training_run(_i, s + 1, single));
        ck_assert(double_accuracy_training_run(_i, s + 1, wide));
        for (int point = 0; point < ACCURACY_POINTS; point++) {
            int step = (point + 1) * ACCURACY_EVERY - 1;
            double expected = accuracy_trainings[_i].float64[s][point];
            ck_assert_msg(fabs(wide[step] - expected) <= 1e-9, "seed %d, step %d: %.17g in double, PyTorch has %.17g",
                          s + 1, step + 1, wide[step], expected);
            ours[s] += fabs(single[step] - wide[step]) / ACCURACY_POINTS;
            theirs[s] += fabs(accuracy_trainings[_i].float32[s][point] - expected) / ACCURACY_POINTS;
        }
    }
    double mine = median(ours), most = median(theirs);
    ck_assert_msg(mine <= most, "losses drift by %.3g in float, PyTorch's by %.3g", mine, most);
}

SUITE("accuracy")
