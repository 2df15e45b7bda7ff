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
    for (int64_t e = 0; e < m.n_examples; e++) {
        for (int64_t i = 0; i < m.n_tokens; i++) {
            double row[MADE_UP_TOKENS], largest = 0, entropy = 0;
            int n_keys = 0;
            for (int64_t j = 0; j < m.n_tokens; j++) {
                if (made_up_permits(&m, e, i, j)) {
                    row[n_keys++] = (double)*made_up_at(&m, e, i, j);
                }
            }
            for (int j = 0; j < n_keys; j++) {
                largest = fmax(largest, row[j]);
                entropy += row[j] > 0 ? row[j] * log(1 / row[j]) : 0;
            }
            if (n_keys > 0) {
                n++;
                nats += entropy;
                uniform += log(n_keys);
                confidence += largest;
                even += 1.0 / n_keys;
            }
            if (n_keys > 1) {
                n_normalised++;
                normalised += entropy / log(n_keys);
            }
        }
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_entropy found = hl_entropy_of(&patterns);
    hl_score score = hl_confidence_of(&patterns);
    ck_assert_int_eq(found.n, n);
    ck_assert_int_eq(found.n_normalised, n_normalised);
    ck_assert_double_eq_tol(found.nats, nats / (double)n, 1e-12);
    ck_assert_double_eq_tol(found.uniform, uniform / (double)n, 1e-12);
    ck_assert_double_eq_tol(found.normalised, n_normalised > 0 ? normalised / (double)n_normalised : 0, 1e-12);
    ck_assert_int_eq(score.n, n);
    ck_assert_double_eq_tol(score.value, confidence / (double)n, 1e-12);
    ck_assert_double_eq_tol(score.baseline, even / (double)n, 1e-12);
}

SUITE("entropy")
