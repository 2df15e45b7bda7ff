#include "heads/metrics.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

LOOP_TEST(even_numbered_examples_choose_and_odd_numbered_ones_score, 1, 6)
{
    made_up m = made_up_empty(_i, 6, false);
    for (int e = 0; e < _i; e++) {
        m.lengths[e] = 1 + e;
    }
    hl_patterns all = made_up_patterns(&m);
    hl_patterns choosing = hl_patterns_choosing(&all), scoring = hl_patterns_scoring(&all);
    ck_assert_int_eq(choosing.n_examples, (_i + 1) / 2);
    for (int64_t e = 0; e < choosing.n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(&choosing, e);
        ck_assert_int_eq(pattern.n, 1 + 2 * e);
        ck_assert_ptr_eq(pattern.weights, made_up_at(&m, 2 * e, 0, 0));
        ck_assert_ptr_eq(pattern.tokens, made_up_token(&m, 2 * e, 0));
        ck_assert_ptr_eq(pattern.sources, made_up_source(&m, 2 * e, 0));
        ck_assert_ptr_eq(pattern.relations, made_up_partner(&m, 2 * e, 0, 0));
        ck_assert_int_eq(pattern.n_relations, MADE_UP_RELATIONS);
    }
    if (_i == 1) {
        ck_assert_int_eq(scoring.n_examples, 1);
        ck_assert_int_eq(hl_patterns_at(&scoring, 0).n, 1);
        return;
    }
    ck_assert_int_eq(scoring.n_examples, _i / 2);
    for (int64_t e = 0; e < scoring.n_examples; e++) {
        ck_assert_int_eq(hl_patterns_at(&scoring, e).n, 2 + 2 * e);
        ck_assert_ptr_eq(hl_patterns_at(&scoring, e).weights, made_up_at(&m, 2 * e + 1, 0, 0));
    }
}

TEST(what_is_not_known_of_a_snapshot_is_not_known_of_an_example)
{
    made_up m = made_up_empty(3, 4, false);
    hl_patterns all = made_up_patterns(&m);
    all.tokens = all.sources = all.relations = NULL;
    all.n_relations = 0;
    hl_pattern pattern = hl_patterns_at(&all, 2);
    ck_assert_ptr_null(pattern.tokens);
    ck_assert_ptr_null(pattern.sources);
    ck_assert_ptr_null(pattern.relations);
    ck_assert_int_eq(pattern.n_relations, 0);
    ck_assert(!hl_pattern_is_ordinary(&pattern, 1));
}

TEST(a_head_is_scored_on_other_examples_than_those_that_chose)
{
    made_up m = made_up_empty(5, 8, false);
    for (int e = 0; e < 5; e++) {
        made_up_look_at_offset(&m, e, e % 2 == 0 ? -1 : +2); /* the odd ones do otherwise */
        *made_up_source(&m, e, 4) = 3;
        *made_up_source(&m, e, 5) = e % 2 == 0 ? 4 : 7;
    }
    hl_patterns all = made_up_patterns(&m);
    hl_head_metrics metrics = hl_head_measure(3, &all);
    ck_assert_int_eq(metrics.layer, 3);
    ck_assert_int_eq(metrics.head, 1);
    ck_assert_int_eq(metrics.best_offset, -1);
    ck_assert_double_eq(metrics.offset.value, 0);
    ck_assert_double_eq(metrics.offset.baseline, 1.0 / 8);
    ck_assert_int_eq(metrics.offset.n, 2 * 7);
    ck_assert_int_eq(metrics.entropy.n, 2 * 8);
    ck_assert_double_eq(metrics.confidence.value, 1);
    ck_assert_int_eq(metrics.confidence.n, 2 * 8);
    ck_assert_int_eq(metrics.fixed_offset, -1);
    ck_assert_double_eq(metrics.fixed_rate, 0.5); /* and not 1, as in the even ones */
    ck_assert_double_eq(metrics.alignment.baseline, 0.5);
    ck_assert_double_eq(metrics.alignment.value, 0.5); /* query 5 looks at 7 */
    ck_assert_double_eq(metrics.hit_rate, 0.5);
    ck_assert_int_eq(metrics.alignment.n, 4);
}

TEST(the_baseline_of_alignment_is_the_larger_one)
{
    made_up m = made_up_empty(2, 4, false);
    made_up_spread_evenly(&m);
    *made_up_source(&m, 0, 3) = 2; /* offset -1 is never right in the odd one: even spread is the better */
    *made_up_source(&m, 1, 3) = 0;
    hl_patterns all = made_up_patterns(&m);
    hl_head_metrics metrics = hl_head_measure(0, &all);
    ck_assert_int_eq(metrics.fixed_offset, -1);
    ck_assert_double_eq(metrics.fixed_rate, 0);
    ck_assert_double_eq(metrics.alignment.baseline, 0.25);
    ck_assert_double_eq(metrics.alignment.value, 0.25);
}

TEST(a_single_example_chooses_and_scores)
{
    made_up m = made_up_empty(1, 5, false);
    made_up_look_at_offset(&m, 0, 1);
    hl_patterns all = made_up_patterns(&m);
    hl_head_metrics metrics = hl_head_measure(0, &all);
    ck_assert_int_eq(metrics.best_offset, 1);
    ck_assert_double_eq(metrics.offset.value, 1);
    ck_assert_double_eq(metrics.offset.baseline, 0.2);
    ck_assert_int_eq(metrics.alignment.n, 0);
}

SUITE("head metrics")
