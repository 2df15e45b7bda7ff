#include "optim/schedule.h"

#include "core/parameters.h"
#include "optim/clip.h"
#include "tests/check_suite.h"
#include "tests/golden/optim_golden.h"

#include <math.h>

static void assert_near(double got, double expected)
{
    ck_assert_msg(fabs(got - expected) <= 1e-14 * fabs(expected), "%.17g, not %.17g", got, expected);
}

static hl_schedule make(hl_schedule_name name, int64_t warmup, int64_t steps)
{
    return (hl_schedule){ .name = name, .learning_rate = 1, .warmup_steps = warmup, .steps = steps, .d_model = 16 };
}

LOOP_TEST(linear_and_cosine_are_those_of_pytorch, 0, 4)
{
    static const struct {
        hl_schedule_name name;
        int64_t warmup;
        const double *rates;
    } golden[] = {
        { HL_SCHEDULE_LINEAR, 0, golden_linear },
        { HL_SCHEDULE_LINEAR, GOLDEN_WARMUP, golden_linear_after_warmup },
        { HL_SCHEDULE_COSINE, 0, golden_cosine },
        { HL_SCHEDULE_COSINE, GOLDEN_WARMUP, golden_cosine_after_warmup },
    };
    hl_schedule schedule = make(golden[_i].name, golden[_i].warmup, GOLDEN_RUN);
    for (int64_t step = 1; step <= GOLDEN_RUN + 1; step++) {
        double rate = hl_schedule_rate(&schedule, step);
        ck_assert_double_eq_tol(rate, golden[_i].rates[step - 1], 1e-14);
    }
}

/* The rates of the paper's base model, from "Attention Is All You Need", equation 3. */
TEST(noam_is_the_papers)
{
    hl_schedule schedule = make(HL_SCHEDULE_NOAM, 4000, 100000);
    schedule.d_model = 512;
    static const int64_t steps[] = { 1, 2, 1000, 3999, 4000, 4001, 16000, 100000, 200000 };
    for (int i = 0; i < ROWS(steps); i++) {
        double s = (double)steps[i];
        assert_near(hl_schedule_rate(&schedule, steps[i]), pow(512, -0.5) * fmin(pow(s, -0.5), s * pow(4000, -1.5)));
    }
    assert_near(hl_schedule_rate(&schedule, 4000), 6.987712429686843e-4);
    assert_near(hl_schedule_rate(&schedule, 16000), 6.987712429686843e-4 / 2);
}

TEST(noam_without_warmup_falls_from_the_first_step)
{
    hl_schedule schedule = make(HL_SCHEDULE_NOAM, 0, 10);
    ck_assert_double_eq(hl_schedule_rate(&schedule, 1), 0.25); /* 16^-0.5 */
    ck_assert_double_eq(hl_schedule_rate(&schedule, 4), 0.125);
}

TEST(constant_rises_over_the_warmup_and_stays)
{
    hl_schedule schedule = make(HL_SCHEDULE_CONSTANT, 4, 10);
    static const double rates[] = { 0.25, 0.5, 0.75, 1, 1, 1 };
    for (int64_t step = 1; step <= 6; step++) {
        ck_assert_double_eq(hl_schedule_rate(&schedule, step), rates[step - 1]);
    }
    ck_assert_double_eq(hl_schedule_rate(&schedule, 1000000), 1);
    schedule.warmup_steps = 0;
    ck_assert_double_eq(hl_schedule_rate(&schedule, 1), 1);
}

LOOP_TEST(the_rate_is_in_proportion_to_the_learning_rate, HL_SCHEDULE_NOAM, HL_SCHEDULE_CONSTANT + 1)
{
    for (int64_t step = 1; step < 12; step++) {
        hl_schedule schedule = make((hl_schedule_name)_i, 3, 12);
        double rate = hl_schedule_rate(&schedule, step);
        schedule.learning_rate = 4;
        ck_assert_double_gt(rate, 0);
        ck_assert_double_eq(hl_schedule_rate(&schedule, step), 4 * rate);
    }
}

/* Linear and cosine: from the full rate at the end of the warm-up to a last update that still has one, then 0. */
LOOP_TEST(a_falling_schedule_ends_with_the_run, 0, 2)
{
    hl_schedule_name name = _i == 0 ? HL_SCHEDULE_LINEAR : HL_SCHEDULE_COSINE;
    hl_schedule schedule = make(name, 100, 1000);
    ck_assert_double_eq(hl_schedule_rate(&schedule, 100), 1);
    ck_assert_double_eq(hl_schedule_rate(&schedule, 101), 1);
    for (int64_t step = 102; step <= 1000; step++) {
        ck_assert_double_lt(hl_schedule_rate(&schedule, step), hl_schedule_rate(&schedule, step - 1));
    }
    ck_assert_double_gt(hl_schedule_rate(&schedule, 1000), 0);
    ck_assert_double_eq(hl_schedule_rate(&schedule, 1001), 0);
    ck_assert_double_eq(hl_schedule_rate(&schedule, INT64_MAX), 0);
}

/* nanoGPT's get_lr, whose iterations count from 0, past its warm-up. */
TEST(cosine_down_to_a_least_rate_is_nanogpts)
{
    enum { WARMUP = 100, RUN = 2000 };
    const double learning_rate = 1e-3, min_lr = 1e-4;
    hl_schedule schedule = make(HL_SCHEDULE_COSINE, WARMUP, RUN);
    schedule.learning_rate = learning_rate;
    schedule.min_rate = min_lr;
    for (int it = WARMUP; it <= RUN + 5; it++) {
        double expected = min_lr;
        if (it <= RUN) {
            double decay_ratio = (double)(it - WARMUP) / (RUN - WARMUP),
                   coeff = 0.5 * (1 + cos(acos(-1) * decay_ratio));
            expected = min_lr + coeff * (learning_rate - min_lr);
        }
        assert_near(hl_schedule_rate(&schedule, it + 1), expected);
    }
    assert_near(hl_schedule_rate(&schedule, WARMUP), learning_rate);
    assert_near(hl_schedule_rate(&schedule, 1), learning_rate / WARMUP);
}

TEST(linear_falls_to_a_least_rate)
{
    hl_schedule schedule = make(HL_SCHEDULE_LINEAR, 2, 10);
    schedule.min_rate = 0.2;
    assert_near(hl_schedule_rate(&schedule, 3), 1);
    assert_near(hl_schedule_rate(&schedule, 7), 0.6);
    assert_near(hl_schedule_rate(&schedule, 10), 0.3);
    assert_near(hl_schedule_rate(&schedule, 11), 0.2);
}

/* Noam and constant do not fall to a rate of anyone's choice. */
LOOP_TEST(the_others_have_no_least_rate, 0, 2)
{
    hl_schedule schedule = make(_i == 0 ? HL_SCHEDULE_NOAM : HL_SCHEDULE_CONSTANT, 2, 10);
    double rate = hl_schedule_rate(&schedule, 7);
    schedule.min_rate = 0.2;
    ck_assert_double_eq(hl_schedule_rate(&schedule, 7), rate);
}

LOOP_TEST(a_run_of_one_step_has_the_full_rate, HL_SCHEDULE_NOAM, HL_SCHEDULE_CONSTANT + 1)
{
    for (int64_t warmup = 0; warmup <= 1; warmup++) {
        hl_schedule schedule = make((hl_schedule_name)_i, warmup, 1);
        double full = schedule.name == HL_SCHEDULE_NOAM ? 0.25 : 1;
        ck_assert_double_eq(hl_schedule_rate(&schedule, 1), full);
    }
}

/* A run shorter than its warm-up only ever rises. */
LOOP_TEST(warmup_may_outlast_the_run, 0, 2)
{
    hl_schedule_name name = _i == 0 ? HL_SCHEDULE_LINEAR : HL_SCHEDULE_COSINE;
    for (int64_t warmup = 10; warmup <= 20; warmup += 10) {
        hl_schedule schedule = make(name, warmup, 10);
        for (int64_t step = 1; step <= warmup; step++) {
            ck_assert_double_eq(hl_schedule_rate(&schedule, step), (double)step / (double)warmup);
        }
        ck_assert_double_eq(hl_schedule_rate(&schedule, warmup + 1), 0);
    }
}

TEST(what_is_no_schedule_has_no_rate)
{
    const hl_schedule noam = make(HL_SCHEDULE_NOAM, 4, 10);
    hl_schedule wrong[4] = { noam, noam, noam, noam };
    wrong[0].name = (hl_schedule_name)4;
    wrong[1].name = (hl_schedule_name)-1;
    wrong[2].warmup_steps = -1;
    wrong[3].d_model = 0;
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(isnan(hl_schedule_rate(&wrong[i], 5)), "%d", i);
    }
    ck_assert(isnan(hl_schedule_rate(&noam, 0)));
    hl_parameters bare = { 0 };
    hl_parameters_add(&bare, (hl_parameter_spec){ .name = "w", .shape = HL_SHAPE(3) });
    ck_assert(isnan(hl_clip_gradients(1, &bare, 1)));
    ck_assert_ptr_null(hl_clip_find_not_finite(&bare));
    hl_parameters_free(&bare);
}

SUITE("schedule")
