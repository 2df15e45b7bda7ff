#include "heads/distance.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

#include <stdlib.h>

LOOP_TEST(a_head_of_one_offset_looks_that_far, -5, 6)
{
    made_up m = made_up_empty(2, 9, false);
    m.lengths[1] = 4;
    for (int e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, _i);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_distance distance = hl_distance_of(&patterns);
    int far = abs(_i), moving = 9 - far + (far < 4 ? 4 - far : 0); /* the others look at themselves */
    ck_assert_double_eq_tol(distance.absolute.value, far * moving / 13.0, 1e-12);
    ck_assert_double_eq_tol(distance.directed.value, _i * moving / 13.0, 1e-12);
    ck_assert_int_eq(distance.absolute.n, 13);
    ck_assert_int_eq(distance.directed.n, 13);
}

LOOP_TEST(an_even_spread_is_the_baseline, 0, 2)
{
    made_up m = made_up_empty(2, 7, _i);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    hl_distance distance = hl_distance_of(&patterns);
    ck_assert_double_eq_tol(distance.absolute.value, distance.absolute.baseline, 1e-6);
    ck_assert_double_eq_tol(distance.directed.value, distance.directed.baseline, 1e-6);
    if (!m.causal) { /* (n^2 - 1) / 3n, as many ahead as back */
        ck_assert_double_eq_tol(distance.absolute.baseline, 48.0 / 21, 1e-12);
        ck_assert_double_eq_tol(distance.directed.baseline, 0, 1e-12);
    } else { /* query i looks i / 2 back */
        ck_assert_double_eq_tol(distance.absolute.baseline, 1.5, 1e-12);
        ck_assert_double_eq_tol(distance.directed.baseline, -1.5, 1e-12);
    }
}

LOOP_TEST(a_single_token_looks_nowhere, 0, 2)
{
    made_up m = made_up_empty(1, 6, _i);
    m.lengths[0] = 1;
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    hl_distance distance = hl_distance_of(&patterns);
    ck_assert_double_eq(distance.absolute.value, 0);
    ck_assert_double_eq(distance.absolute.baseline, 0);
    ck_assert_double_eq(distance.directed.value, 0);
    ck_assert_int_eq(distance.absolute.n, 1);
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    double absolute = 0, directed = 0, even = 0, even_directed = 0;
    int64_t n = 0;
    for (made_up_query q = { 0 }; made_up_next(&m, &q); n++) {
        for (int64_t j = 0; j < m.n_tokens; j++) {
            if (made_up_permits(&m, q.e, q.i, j)) {
                double ahead = (double)(j - q.i), a = (double)*made_up_at(&m, q.e, q.i, j);
                absolute += fabs(ahead) * a;
                directed += ahead * a;
                even += fabs(ahead) / (double)q.n_keys;
                even_directed += ahead / (double)q.n_keys;
            }
        }
    }
    hl_distance distance = hl_distance_of(&patterns);
    expect_score(distance.absolute, absolute / (double)n, even / (double)n, n, 1e-9);
    expect_score(distance.directed, directed / (double)n, even_directed / (double)n, n, 1e-9);
}

SUITE("distance")
