#include "tests/check_suite.h"
#include "tests/heads/key_share_check.h"

static void duplicate_keys(made_up *m, int64_t e, int64_t i, bool *keys)
{
    int32_t token = *made_up_token(m, e, i);
    for (int64_t j = 0; j < m->lengths[e]; j++) {
        keys[j] = token > HL_MASK && j != i && *made_up_token(m, e, j) == token;
    }
}

static void earlier_keys(made_up *m, int64_t e, int64_t i, bool *keys)
{
    duplicate_keys(m, e, i, keys);
    for (int64_t j = i; j < m->n_tokens; j++) {
        keys[j] = false;
    }
}

static void later_keys(made_up *m, int64_t e, int64_t i, bool *keys)
{
    duplicate_keys(m, e, i, keys);
    for (int64_t j = 0; j <= i; j++) {
        keys[j] = false;
    }
}

TEST(only_other_occurrences_of_ordinary_tokens_count)
{
    made_up m = made_up_empty(1, 8, false);
    made_up_spell(&m, 0, "34131313"); /* the last two are padding */
    m.lengths[0] = 6;
    for (int64_t i = 0; i < 6; i++) {
        made_up_prefer(&m, 0, i, 3, (hl_real)0.5); /* a 3; 0.1 on each other */
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_score both = hl_duplicate_of(&patterns), past = hl_duplicate_past_of(&patterns),
             future = hl_duplicate_future_of(&patterns); /* the queries 0, 3 and 5 look at each other */
    ck_assert_int_eq(both.n, 3);
    ck_assert_double_eq_tol(both.value, ((0.5 + 0.1) + (0.1 + 0.1) + (0.1 + 0.5)) / 3, 1e-6);
    ck_assert_double_eq_tol(both.baseline, 2.0 / 6, 1e-12);
    ck_assert_int_eq(past.n, 2);
    ck_assert_double_eq_tol(past.value, (0.1 + (0.1 + 0.5)) / 2, 1e-6);
    ck_assert_double_eq_tol(past.baseline, (1.0 / 6 + 2.0 / 6) / 2, 1e-12);
    ck_assert_int_eq(future.n, 2);
    ck_assert_double_eq_tol(future.value, ((0.5 + 0.1) + 0.1) / 2, 1e-6);
    ck_assert_double_eq_tol(future.baseline, (2.0 / 6 + 1.0 / 6) / 2, 1e-12);
}

TEST(a_causal_query_has_no_later_occurrence)
{
    made_up m = made_up_empty(1, 4, true);
    made_up_spell(&m, 0, "3434");
    made_up_look_at_offset(&m, 0, -2);
    hl_patterns patterns = made_up_patterns(&m);
    hl_score both = hl_duplicate_of(&patterns);
    ck_assert_int_eq(both.n, 2);
    ck_assert_double_eq(both.value, 1);
    ck_assert_double_eq_tol(both.baseline, (1.0 / 3 + 1.0 / 4) / 2, 1e-12);
    ck_assert_int_eq(hl_duplicate_past_of(&patterns).n, 2);
    ck_assert_int_eq(hl_duplicate_future_of(&patterns).n, 0);
}

LOOP_TEST(where_nothing_occurs_twice_there_is_nothing_to_score, 0, 2)
{
    made_up m = made_up_empty(2, 5, _i);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    for (int known = 0; known < 2; known++) {
        hl_score score = hl_duplicate_of(&patterns);
        ck_assert_int_eq(score.n, 0);
        ck_assert_double_eq(score.value, 0);
        ck_assert_double_eq(score.baseline, 0);
        made_up_spell(&m, 0, "33333"); /* but nobody knows */
        patterns.tokens = NULL;
    }
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    key_share_check(hl_duplicate_of, duplicate_keys, false, (uint64_t)_i);
    key_share_check(hl_duplicate_past_of, earlier_keys, false, (uint64_t)_i);
    key_share_check(hl_duplicate_future_of, later_keys, false, (uint64_t)_i);
}

SUITE("duplicate")
