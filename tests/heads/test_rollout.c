/* Attention rollout of small maps, computed by hand. */
#include "heads/rollout.h"

#include "tests/check_suite.h"
#include "tests/heads/example.h"

#include <math.h>

/* Each row looks at one other position: the rollout of two layers is a walk of up to two steps. */
TEST(a_walk_of_two_steps)
{
    static const hl_real mean[2][9] = { { 0, 1, 0, 0, 0, 1, 1, 0, 0 }, { 0, 0, 1, 1, 0, 0, 0, 1, 0 } };
    static const double first[9] = { 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0, 0.5 };
    static const double second[9] = { 0.5, 0.25, 0.25, 0.25, 0.5, 0.25, 0.25, 0.25, 0.5 };
    hl_real rollout[2][9];
    double row[3];
    hl_rollout(2, 3, mean[0], row, rollout[0]);
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq_tol((double)rollout[0][i], first[i], 1e-6);
        ck_assert_double_eq_tol((double)rollout[1][i], second[i], 1e-6);
    }
}

/* With norms, rows of shares may not sum to 1: they are scaled all the same. */
TEST(rows_sum_to_one)
{
    static const hl_real mean[4] = { 0.25f, 0.25f, 0, 0 };
    hl_real rollout[4];
    double row[2];
    hl_rollout(1, 2, mean, row, rollout);
    ck_assert_double_eq_tol((double)rollout[0], 1.25 / 1.5, 1e-6);
    ck_assert_double_eq_tol((double)rollout[1], 0.25 / 1.5, 1e-6);
    ck_assert_double_eq_tol((double)rollout[3], 1, 1e-6);
}

TEST(means_are_of_the_heads_of_a_layer)
{
    enum { E = 2, T = 9 };
    example f;
    example_set_up(&f, example_config(12), E, T, E);
    expect_ok(hl_recorder_run(&f.recorder, &f.arena));
    hl_patterns layers[EXAMPLE_LAYERS];
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_recorder_patterns(&f.recorder, l, 0);
    }
    hl_snapshot snapshot = { .examples = f.recorder.examples, .layers = layers, .config = &f.model.config };
    hl_real mean[EXAMPLE_LAYERS * T * T];
    int64_t n = f.recorder.examples.lengths[1];
    hl_rollout_means(&snapshot, 1, mean);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                double sum = 0;
                for (int64_t h = 0; h < f.model.config.heads[l]; h++) {
                    hl_patterns head = hl_recorder_patterns(&f.recorder, l, h);
                    hl_pattern pattern = hl_patterns_at(&head, 1);
                    sum += (double)hl_pattern_row(&pattern, i)[j] / f.model.config.heads[l];
                }
                ck_assert_double_eq_tol((double)mean[(l * n + i) * n + j], sum, 1e-6);
            }
        }
    }
    example_tear_down(&f);
}

SUITE("attention rollout")
