#include "tests/check_suite.h"
#include "tests/heads/key_share_check.h"

static bool is_ordinary(made_up *m, int64_t e, int64_t i)
{
    return *made_up_token(m, e, i) > HL_MASK;
}

/* From each occurrence on to its neighbour: +1 from earlier ones, -1 from later ones. */
static void neighbours(made_up *m, int64_t e, int64_t i, int64_t step, bool *keys)
{
    for (int64_t p = 0; p < m->lengths[e]; p++) {
        bool on_its_side = step > 0 ? p < i : p > i;
        if (on_its_side && is_ordinary(m, e, i) && *made_up_token(m, e, p) == *made_up_token(m, e, i)) {
            keys[p + step] = is_ordinary(m, e, p + step);
        }
    }
}

static void after_earlier(made_up *m, int64_t e, int64_t i, bool *keys)
{
    neighbours(m, e, i, 1, keys);
}

static void before_later(made_up *m, int64_t e, int64_t i, bool *keys)
{
    neighbours(m, e, i, -1, keys);
}

LOOP_TEST(what_came_next_the_last_times, 0, 2)
{
    made_up m = made_up_empty(1, 9, _i);
    made_up_spell(&m, 0,
                  "345343133"); /* query 3, a 3: key 1; 4, a 4: key 2; 5: 1 and 4; 7: 1 and 4, not the separator */
    m.lengths[0] = 8;
    for (int64_t i = 0; i < 8; i++) {
        made_up_look_at(&m, 0, i, i == 4 ? 2 : 1 < i ? 1 : i);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_score score = hl_induction_of(&patterns);
    ck_assert_int_eq(score.n, 4);
    ck_assert_double_eq(score.value, 1);
    double expected = _i ? 1.0 / 4 + 1.0 / 5 + 2.0 / 6 + 2.0 / 8 : 6.0 / 8;
    ck_assert_double_eq_tol(score.baseline, expected / 4, 1e-12);
}

TEST(the_mirror_image_looks_before_later_ones)
{
    made_up m = made_up_empty(1, 7, false);
    made_up_spell(&m, 0, "3435153"); /* query 0: key 1 and, but for the length, 5 */
    m.lengths[0] = 6;
    for (int64_t i = 0; i < 6; i++) {
        made_up_look_at(&m, 0, i, 1);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_score score = hl_induction_mirrored_of(&patterns);
    ck_assert_int_eq(score.n, 1); /* query 3 would have key 4, a separator */
    ck_assert_double_eq(score.value, 1);
    ck_assert_double_eq_tol(score.baseline, 1.0 / 6, 1e-12);
    ck_assert_int_eq(hl_induction_of(&patterns).n, 1); /* query 2: what followed the first 3 */
}

LOOP_TEST(a_token_twice_in_a_row_has_its_second_self, 0, 2)
{
    made_up m = made_up_empty(1, 3, _i);
    made_up_spell(&m, 0, "334");
    made_up_look_at_offset(&m, 0, 0);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_induction_of(&patterns).n, 1);
    ck_assert_double_eq(hl_induction_of(&patterns).value, 1);
    ck_assert_int_eq(hl_induction_mirrored_of(&patterns).n, 1);
    ck_assert_double_eq(hl_induction_mirrored_of(&patterns).value, 1);
}

TEST(unknown_tokens_are_nothing_to_score)
{
    made_up m = made_up_empty(1, 5, false);
    made_up_spell(&m, 0, "34343");
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_induction_of(&patterns).n, 3);
    patterns.tokens = NULL;
    ck_assert_int_eq(hl_induction_of(&patterns).n, 0);
    ck_assert_int_eq(hl_induction_mirrored_of(&patterns).n, 0);
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    key_share_check(hl_induction_of, after_earlier, false, (uint64_t)_i);
    key_share_check(hl_induction_mirrored_of, before_later, false, (uint64_t)_i);
}

SUITE("induction")
