#include "heads/entropy.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

LOOP_TEST(one_key_is_0_and_an_even_spread_is_its_baseline, 0, 2)
{
    made_up m = made_up_empty(2, 8, _i);
    m.lengths[1] = 5;
    for (int e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, -2);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_entropy entropy = hl_entropy_of(&patterns);
    ck_assert_double_eq(entropy.nats, 0);
    ck_assert_double_eq(entropy.normalised, 0);
    ck_assert_double_eq(hl_confidence_of(&patterns).value, 1);
    double uniform = entropy.uniform;
    made_up_spread_evenly(&m);
    entropy = hl_entropy_of(&patterns);
    ck_assert_double_eq_tol(entropy.nats, uniform, 1e-7);
    ck_assert_double_eq_tol(entropy.normalised, 1, 1e-7);
    ck_assert_int_eq(entropy.n, 13);
    ck_assert_int_eq(entropy.n_normalised, _i ? 11 : 13); /* a causal mask leaves the first query one key */
    ck_assert_double_eq_tol(uniform, _i ? (lgamma(9) + lgamma(6)) / 13 : (8 * log(8) + 5 * log(5)) / 13, 1e-12);
    hl_score confidence = hl_confidence_of(&patterns);
    ck_assert_double_eq_tol(confidence.value, confidence.baseline, 1e-7);
    ck_assert_int_eq(confidence.n, 13);
}

TEST(a_known_row_has_its_entropy)
{
    made_up m = made_up_empty(1, 3, false);
    const hl_real rows[3][3] = { { 0.5, 0.5, 0 }, { 0.25, 0.25, 0.5 }, { 0, 0, 1 } };
    for (int i = 0; i < 9; i++) {
        *made_up_at(&m, 0, i / 3, i % 3) = rows[i / 3][i % 3];
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_entropy entropy = hl_entropy_of(&patterns);
    ck_assert_double_eq_tol(entropy.nats, (log(2) + 1.5 * log(2) + 0) / 3, 1e-15);
    ck_assert_double_eq_tol(entropy.normalised, entropy.nats / log(3), 1e-15);
    hl_score confidence = hl_confidence_of(&patterns);
    ck_assert_double_eq(confidence.value, (0.5 + 0.5 + 1) / 3);
    ck_assert_double_eq(confidence.baseline, 1.0 / 3);
}

LOOP_TEST(queries_with_one_key_have_no_normalised_entropy, 0, 2)
{
    made_up m = made_up_empty(2, 4, _i);
    m.lengths[0] = m.lengths[1] = 1;
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    hl_entropy entropy = hl_entropy_of(&patterns);
    ck_assert_int_eq(entropy.n, 2);
    ck_assert_int_eq(entropy.n_normalised, 0);
    ck_assert_double_eq(entropy.normalised, 0);
    ck_assert_double_eq(entropy.nats, 0);
    ck_assert_double_eq(hl_confidence_of(&patterns).baseline, 1);
}

/* The definitions over the list of all permitted pairs of query and key. */
LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    double nats = 0, uniform = 0, normalised = 0, confidence = 0, even = 0;
    int64_t n = 0, n_normalised = 0;
    for (made_up_query q = { 0 }; made_up_next(&m, &q); n++) {
        double entropy = 0, n_keys = (double)q.n_keys;
        for (int64_t j = 0; j < m.n_tokens; j++) {
            double a = made_up_permits(&m, q.e, q.i, j) ? (double)*made_up_at(&m, q.e, q.i, j) : 0;
            entropy += a > 0 ? a * log(1 / a) : 0;
        }
        nats += entropy;
        uniform += log(n_keys);
        confidence += (double)*made_up_at(&m, q.e, q.i, q.largest);
        even += 1 / n_keys;
        n_normalised += n_keys > 1;
        normalised += n_keys > 1 ? entropy / log(n_keys) : 0;
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_entropy found = hl_entropy_of(&patterns);
    ck_assert_int_eq(found.n, n);
    ck_assert_int_eq(found.n_normalised, n_normalised);
    ck_assert_double_eq_tol(found.nats, nats / (double)n, 1e-12);
    ck_assert_double_eq_tol(found.uniform, uniform / (double)n, 1e-12);
    ck_assert_double_eq_tol(found.normalised, n_normalised > 0 ? normalised / (double)n_normalised : 0, 1e-12);
    expect_score(hl_confidence_of(&patterns), confidence / (double)n, even / (double)n, n, 1e-12);
}

SUITE("entropy")
