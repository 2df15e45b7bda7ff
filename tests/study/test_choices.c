/* Answers out of logits. */
#include "study/choices.h"

#include "tests/check_suite.h"

#include <math.h>

static const hl_real logits[] = { 1, 3, 2, 3, -90 };
enum { C = 5 };

/* exp(l / t) of each of those logits. */
static double weight(int id, double temperature)
{
    return exp((double)logits[id] / temperature);
}

TEST(the_best_come_first_and_of_equals_the_lower_id)
{
    hl_choice choices[C + 1];
    double sum = 0;
    for (int i = 0; i < C; i++) {
        sum += weight(i, 1);
    }
    static const int order[] = { 1, 3, 2, 0, 4 };
    for (int most = 1; most <= C + 1; most++) {
        ck_assert_int_eq(hl_choices_best(logits, C, most, choices), most < C ? most : C);
        for (int i = 0; i < most && i < C; i++) {
            ck_assert_int_eq(choices[i].id, order[i]);
            ck_assert_double_eq_tol(choices[i].probability, weight(order[i], 1) / sum, 1e-12);
        }
    }
    ck_assert_double_eq_tol(hl_choices_loss(logits, C, 2), log(sum) - 2, 1e-12);
    ck_assert_double_eq_tol(hl_choices_loss(logits, C, 4), log(sum) + 90, 1e-9);
    double added[C] = { 1 };
    hl_choices_add(logits, C, added);
    ck_assert_double_eq_tol(added[0], 1 + weight(0, 1) / sum, 1e-12);
    ck_assert_double_eq_tol(added[3], weight(3, 1) / sum, 1e-12);
}

/* Shares of evenly spread draws against probabilities. */
static void expect_shares(double temperature, int64_t top_k, const double *weights)
{
    enum { DRAWS = 100000 };
    int counts[C] = { 0 };
    double sum = 0;
    hl_choice room[C];
    for (int i = 0; i < DRAWS; i++) {
        int32_t id = hl_choices_draw(logits, C, temperature, top_k, (i + 0.5) / DRAWS, top_k > 0 ? room : NULL);
        ck_assert(id >= 0 && id < C);
        counts[id]++;
    }
    for (int i = 0; i < C; i++) {
        sum += weights[i];
    }
    for (int i = 0; i < C; i++) {
        ck_assert_double_eq_tol((double)counts[i] / DRAWS, weights[i] / sum, 2e-5);
    }
}

TEST(ids_are_drawn_by_their_probabilities)
{
    static const double temperatures[] = { 0.5, 1, 3 };
    for (int t = 0; t < 3; t++) {
        double all[C], best[C] = { 0 };
        for (int i = 0; i < C; i++) {
            all[i] = weight(i, temperatures[t]);
            best[i] = i == 0 || i == 4 ? 0 : all[i];
        }
        expect_shares(temperatures[t], 0, all);
        expect_shares(temperatures[t], 3, best);
    }
    const double first[C] = { 0, 1 };
    expect_shares(0, 0, first);
    expect_shares(0, 2, first);
    expect_shares(7, 1, first);
    const double both[C] = { 0, 1, 0, 1 };
    expect_shares(1e-300, 0, both);
}

TEST(the_end_of_the_range_is_an_id_that_can_be)
{
    hl_choice room[C];
    double last = nextafter(1, 0);
    ck_assert_int_eq(hl_choices_draw(logits, C, 0.01, 0, last, NULL), 3);
    ck_assert_int_eq(hl_choices_draw(logits, C, 1, 3, last, room), 2);
    ck_assert_int_eq(hl_choices_draw(logits, C, 1, 2, 0, room), 1);
}

SUITE("choices")
