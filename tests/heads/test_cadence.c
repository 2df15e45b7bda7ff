#include "heads/cadence.h"
#include "tests/check_suite.h"

#include <math.h>

static const hl_cadence series = { HL_CADENCE_LOG, 0 };

static const hl_cadence_state no_losses;

static bool records(hl_cadence cadence, int64_t step, int64_t last)
{
    return hl_cadence_records(cadence, &no_losses, step, last);
}

TEST(the_series_is_1_2_5_10_and_so_on)
{
    static const int64_t recorded[] = { 0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1234 };
    int next = 0;
    for (int64_t step = 0; step <= 1234; step++) {
        bool expected = step == recorded[next];
        ck_assert_msg(records(series, step, 1234) == expected, "step %lld", (long long)step);
        next += expected;
    }
    ck_assert_int_eq(next, 12);
    ck_assert_int_eq(hl_cadence_most(series, 1234), 12);
    ck_assert(records(series, 5000000000000000000, INT64_MAX));
    ck_assert_int_eq(hl_cadence_most(series, INT64_MAX), 1 + 3 * 19 + 1); /* 5e18 < 2^63 - 1 */
}

TEST(every_nth_step_is_recorded_and_the_last)
{
    hl_cadence by_7 = { 7, 0 };
    for (int64_t step = 0; step <= 30; step++) {
        ck_assert(records(by_7, step, 30) == (step % 7 == 0 || step == 30));
    }
    ck_assert(!records(by_7, 30, 31));
}

LOOP_TEST(the_most_is_the_number_of_recorded_steps, 0, 6)
{
    static const int64_t every[] = { HL_CADENCE_LOG, 1, 2, 3, 10, 1000 };
    hl_cadence cadence = { every[_i], 0 }, more = { every[_i], 9 };
    for (int64_t last = 0; last <= 130; last++) {
        int64_t count = 0;
        for (int64_t step = 0; step <= last; step++) {
            count += records(cadence, step, last);
        }
        ck_assert_int_eq(hl_cadence_most(cadence, last), count);
        ck_assert_int_eq(hl_cadence_most(more, last), count + 9 < last + 1 ? count + 9 : last + 1);
    }
}

/* ---- where the loss falls ---- */

enum { STEPS = 63 };

static const hl_cadence seldom = { INT64_MAX, 4 }; /* but where the loss falls */

/* Runs steps first .. last and tells which were due, as bits: step s is bit s. */
static uint64_t due_steps(hl_cadence cadence, hl_cadence_state *state, const double *losses, int first, int last)
{
    uint64_t due = 0;
    for (int step = first; step <= last; step++) {
        hl_cadence_update(state, losses[step]);
        due |= (uint64_t)hl_cadence_records(cadence, state, step, INT64_MAX) << step;
    }
    return due;
}

/* 4 until step 30, then 0.2 less every step down to 0.4, up to 3 and down to 0. */
static void fill_losses(double losses[STEPS + 1])
{
    for (int step = 0; step <= STEPS; step++) {
        losses[step] = step <= 30 ? 4 : step <= 48 ? 4 - 0.2 * (step - 30) : step <= 58 ? 3 : 0;
    }
}

/* k steps into the fall the smoothed loss is 4 - 0.2 (k - 7 (1 - (7/8)^k)): 1.12 less at k = 11, the first where that
 * is 1 or more, and 2.14 less at k = 17, the first where it is 2 or more. Up again and down again, it comes below 1
 * nowhere. */
TEST(a_falling_loss_calls_for_snapshots_and_no_other_does)
{
    double losses[STEPS + 1];
    fill_losses(losses);
    hl_cadence_state state = { 0 };
    ck_assert_uint_eq(due_steps(seldom, &state, losses, 1, STEPS), (uint64_t)1 << 41 | (uint64_t)1 << 47);
    state = (hl_cadence_state){ 0 };
    ck_assert_uint_eq(due_steps((hl_cadence){ INT64_MAX, 0 }, &state, losses, 1, STEPS), 0);
}

/* A fall below several limits at once is one snapshot. */
TEST(a_sudden_fall_calls_for_one_snapshot_a_step)
{
    const double losses[] = { 0, 8, 0, 8, 8, 8 }; /* smoothed: 8, 7, 7.1, ... */
    hl_cadence_state state = { 0 };
    ck_assert_uint_eq(due_steps((hl_cadence){ INT64_MAX, 64 }, &state, losses, 1, 5), (uint64_t)1 << 2);
    ck_assert_double_eq(state.first, 8);
    ck_assert_double_eq(state.lowest, 7);
}

/* What is kept is all that counts: ended after any step, the rest is the same. */
TEST(the_state_goes_on_where_it_was)
{
    double losses[STEPS + 1];
    fill_losses(losses);
    hl_cadence cadence = { HL_CADENCE_LOG, 20 };
    for (int ended = 1; ended < STEPS; ended++) {
        hl_cadence_state straight = { 0 }, before = { 0 };
        uint64_t all = due_steps(cadence, &straight, losses, 1, STEPS);
        uint64_t first = due_steps(cadence, &before, losses, 1, ended);
        hl_cadence_state after = { before.first, before.smoothed, before.lowest, 0 };
        ck_assert_uint_eq(first | due_steps(cadence, &after, losses, ended + 1, STEPS), all);
    }
}

/* Whatever the loss does, up and down and near 0: extra ones are no more than promised. */
LOOP_TEST(no_more_are_extra_than_promised, 0, 6)
{
    static const int64_t extra[] = { 0, 1, 2, 3, 7, 20 };
    hl_cadence cadence = { INT64_MAX, extra[_i] };
    for (int shape = 0; shape < 6; shape++) {
        hl_cadence_state state = { 0 };
        int64_t count = 0;
        for (int64_t step = 1; step <= 20000; step++) {
            double t = (double)step / 20000, wave = shape % 2 == 0 ? 1 : 1 + sin(0.01 * (double)step);
            double loss = 5 * wave * (shape < 2 ? exp(-5000 * t) : shape < 4 ? 1 - t : fabs(cos(1e-3 * (double)step)));
            hl_cadence_update(&state, loss);
            count += hl_cadence_records(cadence, &state, step, INT64_MAX);
        }
        ck_assert_int_le(count, extra[_i]);
        ck_assert_int_ge(count, extra[_i] / 2); /* the loss comes to 0, or nearly */
    }
}

TEST(a_loss_of_0_calls_for_nothing)
{
    hl_cadence_state state = { 0 };
    const double losses[] = { 0, 0, 0, 0, 2, 2 };
    ck_assert_uint_eq(due_steps(seldom, &state, losses, 1, 5), 0);
    ck_assert_double_eq(state.first, 2);
}

SUITE("cadence")
