#include "tests/check_suite.h"
#include "tests/heads/key_share_check.h"

static void special_keys(made_up *m, int64_t e, int64_t i, bool *keys)
{
    (void)i;
    for (int64_t j = 0; j < m->n_tokens; j++) {
        keys[j] = *made_up_token(m, e, j) == HL_SEPARATOR || *made_up_token(m, e, j) == HL_MASK;
    }
}

static void first_key(made_up *m, int64_t e, int64_t i, bool *keys)
{
    (void)m;
    (void)e;
    (void)i;
    keys[0] = true;
}

TEST(separators_and_masks_are_special)
{
    made_up m = made_up_empty(2, 6, false);
    made_up_spell(&m, 0, "341272");
    made_up_spell(&m, 1, "334000"); /* three of padding, which is no key */
    m.lengths[1] = 3;
    for (int64_t i = 0; i < 6; i++) {
        made_up_prefer(&m, 0, i, 2, (hl_real)0.5); /* and 0.1 on each other key */
    }
    for (int64_t i = 0; i < 3; i++) {
        made_up_look_at(&m, 1, i, 0);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_score score = hl_special_of(&patterns);
    ck_assert_int_eq(score.n, 9); /* the queries that have no such key, too */
    ck_assert_double_eq_tol(score.value, 6 * 0.7 / 9, 1e-6);
    ck_assert_double_eq_tol(score.baseline, 6 * 0.5 / 9, 1e-12);
}

LOOP_TEST(a_perfect_head_scores_exactly_1, 0, 2)
{
    made_up m = made_up_empty(2, 5, _i);
    for (int64_t e = 0; e < 2; e++) {
        *made_up_token(&m, e, 0) = HL_MASK;
        made_up_look_at_offset(&m, e, 0);
        for (int64_t i = 0; i < 5; i++) {
            made_up_look_at(&m, e, i, 0);
        }
    }
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_double_eq(hl_special_of(&patterns).value, 1);
    ck_assert_double_eq(hl_first_of(&patterns).value, 1);
    ck_assert_double_eq_tol(hl_first_of(&patterns).baseline, _i ? (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5) / 5 : 0.2,
                            1e-12);
    ck_assert_int_eq(hl_first_of(&patterns).n, 10);
}

TEST(unknown_tokens_are_nothing_to_score)
{
    made_up m = made_up_empty(2, 5, false);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    patterns.tokens = NULL;
    ck_assert_int_eq(hl_special_of(&patterns).n, 0);
    ck_assert_int_eq(hl_first_of(&patterns).n, 10);
}

LOOP_TEST(a_single_token, 0, 2)
{
    made_up m = made_up_empty(1, 4, _i);
    m.lengths[0] = 1;
    *made_up_token(&m, 0, 1) = HL_SEPARATOR; /* past the length */
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_double_eq(hl_special_of(&patterns).value, 0);
    ck_assert_double_eq(hl_special_of(&patterns).baseline, 0);
    ck_assert_double_eq(hl_first_of(&patterns).baseline, 1);
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    key_share_check(hl_special_of, special_keys, true, (uint64_t)_i);
    key_share_check(hl_first_of, first_key, true, (uint64_t)_i);
}

SUITE("special")
