#include "heads/alignment.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

/* Examples of 8 tokens; by relation 1, token 5 belongs to 2 and token 7 to 3 in the even ones, to 4 in the odd ones; by
 * relation 0, token 1 belongs to 6. */
static made_up related(int64_t n_examples, bool causal)
{
    made_up m = made_up_empty(n_examples, 8, causal);
    for (int64_t e = 0; e < n_examples; e++) {
        *made_up_partner(&m, e, 1, 5) = 2;
        *made_up_partner(&m, e, 1, 7) = e % 2 == 0 ? 3 : 4;
        *made_up_partner(&m, e, 0, 1) = 6;
        made_up_look_at_offset(&m, e, 0);
    }
    return m;
}

LOOP_TEST(a_perfect_head_scores_exactly_1, 0, 2)
{
    made_up m = related(4, _i);
    for (int64_t e = 0; e < 4; e++) {
        for (int64_t i = 0; i < 8; i++) {
            int32_t partner = *made_up_partner(&m, e, 1, i);
            made_up_look_at(&m, e, i, partner != HL_IGNORE ? partner : 0);
        }
    }
    hl_patterns all = made_up_patterns(&m);
    hl_relation relation = hl_relation_of(&all, 1);
    ck_assert_int_eq(relation.n, 4); /* of the odd ones alone */
    ck_assert_double_eq(relation.hit_rate, 1);
    ck_assert_int_eq(relation.fixed_offset, -4);
    ck_assert_double_eq(relation.fixed_rate, 0); /* -4 and -3 hit the even ones once each; of the odd ones, -3 does */
    ck_assert_double_eq_tol(relation.uniform, _i ? (1.0 / 6 + 1.0 / 8) / 2 : 1.0 / 8, 1e-12);
    hl_score score = hl_relation_score(relation);
    ck_assert_double_eq(score.value, 1);
    ck_assert_double_eq(score.baseline, relation.uniform);
    ck_assert_int_eq(score.n, 4);
    ck_assert_double_eq(hl_relation_of(&all, 0).hit_rate, 0);
}

TEST(the_baseline_is_the_best_fixed_offset_where_that_is_larger)
{
    made_up m = related(4, false);
    for (int64_t e = 0; e < 4; e += 2) {
        *made_up_partner(&m, e, 1, 6) = 3; /* -3 now has two of three in the even ones */
    }
    hl_patterns all = made_up_patterns(&m);
    hl_relation relation = hl_relation_of(&all, 1);
    ck_assert_int_eq(relation.fixed_offset, -3);
    ck_assert_double_eq(relation.fixed_rate, 1); /* and all of the odd ones */
    ck_assert_double_eq(hl_relation_score(relation).baseline, 1);
    ck_assert_double_eq(relation.hit_rate, 0);
}

LOOP_TEST(each_relation_is_one_of_its_own, 0, 2)
{
    made_up m = related(3, _i);
    for (int64_t e = 0; e < 3; e++) {
        made_up_look_at(&m, e, 1, 6);
    }
    hl_patterns all = made_up_patterns(&m);
    hl_relation ahead = hl_relation_of(&all, 0), back = hl_relation_of(&all, 1);
    ck_assert_int_eq(ahead.n, 1);
    ck_assert_double_eq(ahead.hit_rate, _i ? 0 : 1); /* a causal head may not look there */
    ck_assert_double_eq(ahead.fixed_rate, _i ? 0 : 1);
    ck_assert_double_eq_tol(ahead.uniform, _i ? 0 : 1.0 / 8, 1e-12);
    ck_assert_int_eq(back.n, 2);
    ck_assert_double_eq(back.hit_rate, 0);
}

TEST(a_relation_without_pairs_has_nothing_to_score)
{
    made_up m = made_up_empty(3, 4, false);
    made_up_spread_evenly(&m);
    hl_patterns all = made_up_patterns(&m);
    hl_relation relation = hl_relation_of(&all, 1);
    ck_assert_int_eq(relation.n, 0);
    ck_assert_double_eq(relation.hit_rate, 0);
    ck_assert(isnan(hl_score_lift(hl_relation_score(relation))));
}

LOOP_TEST(the_view_is_of_the_relation, 0, 20)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1), as_source = m;
    for (int64_t e = 0; e < m.n_examples; e++) {
        for (int64_t i = 0; i < m.n_tokens; i++) {
            *made_up_source(&as_source, e, i) = *made_up_partner(&m, e, _i % MADE_UP_RELATIONS, i);
        }
    }
    hl_patterns patterns = made_up_patterns(&m), expected_of = made_up_patterns(&as_source);
    hl_patterns view = hl_relation_as_source(&patterns, _i % MADE_UP_RELATIONS);
    hl_alignment expected = hl_alignment_of(&expected_of), found = hl_alignment_of(&view);
    ck_assert_int_eq(found.weight.n, expected.weight.n);
    ck_assert_double_eq(found.weight.value, expected.weight.value);
    ck_assert_double_eq(found.hit_rate, expected.hit_rate);
    ck_assert_int_eq(hl_alignment_fixed_best(&view), hl_alignment_fixed_best(&expected_of));
}

SUITE("relation")
