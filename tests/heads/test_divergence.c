#include "heads/divergence.h"
#include "heads/entropy.h"
#include "heads/private/row_entropy.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

#include <string.h>

LOOP_TEST(the_same_weights_differ_by_exactly_nothing, 0, 20)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_double_eq(hl_divergence_of(&patterns, &patterns), 0);
}

LOOP_TEST(rounding_never_falls_below_nothing, 0, 40)
{
    made_up a = made_up_random((uint64_t)_i, false), b = a;
    for (int64_t e = 0; e < b.n_examples; e++) {
        for (int64_t i = 0; i < b.lengths[e]; i++) {
            *made_up_at(&b, e, i, 0) *= (hl_real)1.0000001;
        }
    }
    hl_patterns pattern_a = made_up_patterns(&a), pattern_b = made_up_patterns(&b);
    double js = hl_divergence_of(&pattern_a, &pattern_b);
    ck_assert_double_ge(js, 0);
    ck_assert_double_le(js, 1e-9);
}

TEST(no_key_in_common_is_ln_2)
{
    made_up a = made_up_empty(2, 6, false), b = a;
    a.lengths[1] = b.lengths[1] = 3;
    for (int64_t e = 0; e < 2; e++) {
        for (int64_t i = 0; i < a.lengths[e]; i++) {
            made_up_look_at(&a, e, i, 0);
            made_up_look_at(&b, e, i, 1);
        }
    }
    hl_patterns pattern_a = made_up_patterns(&a), pattern_b = made_up_patterns(&b);
    ck_assert_double_eq_tol(hl_divergence_of(&pattern_a, &pattern_b), log(2), 1e-12);
    made_up_look_at(&b, 0, 4, 0); /* one of nine queries now has it */
    ck_assert_double_eq_tol(hl_divergence_of(&pattern_a, &pattern_b), log(2) * 8 / 9, 1e-12);
}

TEST(a_causal_head_beside_one_that_is_not)
{
    made_up all = made_up_empty(1, 2, false), causal = made_up_empty(1, 2, true);
    made_up_spread_evenly(&all);
    made_up_spread_evenly(&causal);
    hl_patterns a = made_up_patterns(&all), b = made_up_patterns(&causal);
    /* Query 0: (1/2, 1/2) and (1, 0); query 1: the same. */
    double expected = (0.5 * (0.5 * log(0.5 / 0.75) + 0.5 * log(0.5 / 0.25)) + 0.5 * log(1 / 0.75)) / 2;
    ck_assert_double_eq_tol(hl_divergence_of(&a, &b), expected, 1e-12);
    ck_assert_double_eq_tol(hl_divergence_of(&b, &a), expected, 1e-12);
}

/* x ln(x / m). */
static double naive_term(double x, double m)
{
    return x > 0 ? x * log(x / m) : 0;
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    made_up a = made_up_random((uint64_t)_i, _i % 2 == 1), b = a;
    for (int64_t e = 0; e < a.n_examples; e++) { /* the rows of b are those of a, turned round */
        for (int64_t i = 0; i < a.lengths[e]; i++) {
            int64_t last = a.causal ? i : a.lengths[e] - 1;
            for (int64_t j = 0; j <= last; j++) {
                *made_up_at(&b, e, i, j) = *made_up_at(&a, e, i, last - j);
            }
        }
    }
    double sum = 0, n = 0;
    for (int64_t e = 0; e < a.n_examples; e++) {
        for (int64_t i = 0; i < a.lengths[e]; i++) {
            for (int64_t j = 0; j < a.n_tokens; j++) {
                if (made_up_permits(&a, e, i, j)) {
                    double x = (double)*made_up_at(&a, e, i, j), y = (double)*made_up_at(&b, e, i, j);
                    sum += (naive_term(x, (x + y) / 2) + naive_term(y, (x + y) / 2)) / 2;
                }
            }
            n++;
        }
    }
    hl_patterns pattern_a = made_up_patterns(&a), pattern_b = made_up_patterns(&b);
    double js = hl_divergence_of(&pattern_a, &pattern_b);
    ck_assert_double_eq_tol(js, sum / n, 1e-12);
    ck_assert_double_ge(js, 0);
    ck_assert_double_eq_tol(hl_divergence_of(&pattern_b, &pattern_a), js, 1e-12);
    ck_assert_double_eq(
        hl_divergence_given(&pattern_a, &pattern_b, hl_entropy_of(&pattern_a).nats, hl_entropy_of(&pattern_b).nats),
        js);
}

/* Rows are worked in blocks, of which the last may be short: those of rows filled up with zeros are all whole. */
TEST(what_a_row_lacks_counts_as_0_to_the_last_bit)
{
    enum { WHOLE = 64 };
    for (int64_t n_a = 1; n_a <= WHOLE; n_a++) {
        for (int64_t n_b = 1; n_b <= WHOLE; n_b++) {
            hl_real a[WHOLE], b[WHOLE], whole_a[WHOLE] = { 0 }, whole_b[WHOLE] = { 0 };
            for (int64_t j = 0; j < WHOLE; j++) { /* what lies behind a row is none of its */
                a[j] = (hl_real)0.1 / (hl_real)(1 + j * n_b % 7);
                b[j] = (hl_real)0.3 / (hl_real)(2 + j * n_a % 11);
            }
            memcpy(whole_a, a, (size_t)n_a * sizeof *a);
            memcpy(whole_b, b, (size_t)n_b * sizeof *b);
            double whole = hl_row_entropy_mixed(whole_a, WHOLE, whole_b, WHOLE);
            ck_assert(hl_row_entropy_mixed(a, n_a, b, n_b) == whole);
            ck_assert(hl_row_entropy_mixed(b, n_b, a, n_a) == whole);
        }
    }
}

/* Many rows at once, of any number of keys, the first two alike; sums that are there are added to. */
TEST(rows_mixed_at_once_are_those_mixed_alone)
{
    enum { MOST = 70, ROWS = 5 };
    for (int64_t n = 1; n <= MOST; n++) {
        hl_real rows[ROWS][MOST];
        double halves[ROWS][MOST + 16], sums[ROWS];
        for (int k = 0; k < ROWS; k++) {
            double sum = 0;
            for (int64_t j = 0; j < MOST; j++) {
                rows[k][j] = (hl_real)1 / (hl_real)(1 + (k < 2 ? 1 : k) * j * n % 7);
                sum += j < n ? (double)rows[k][j] : 0;
            }
            for (int64_t j = 0; j < MOST; j++) {
                rows[k][j] /= (hl_real)sum;
            }
            memset(halves[k], 0xff, sizeof halves[k]); /* NaN */
            hl_row_halve(rows[k], n, halves[k]);
            sums[k] = k;
        }
        ck_assert_int_le(hl_row_halves_width(n), MOST + 16);
        hl_row_entropies_mixed(halves[0], halves[0], MOST + 16, n, ROWS, sums);
        for (int k = 0; k < ROWS; k++) {
            ck_assert_double_eq_tol(sums[k], k + hl_row_entropy_mixed(rows[0], n, rows[k], n), 5e-14);
        }
    }
}

SUITE("divergence")
