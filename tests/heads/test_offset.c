#include "heads/offset.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

#include <string.h>

LOOP_TEST(a_perfect_head_scores_exactly_1, 0, 2)
{
    made_up m = made_up_empty(3, 7, _i);
    m.lengths[0] = 5;
    m.lengths[2] = 1; /* has no previous token */
    for (int e = 0; e < 3; e++) {
        made_up_look_at_offset(&m, e, -1);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_score score = hl_offset_score(&patterns, -1);
    ck_assert_double_eq(score.value, 1);
    ck_assert_int_eq(score.n, 4 + 6);
    ck_assert_int_eq(hl_offset_best(&patterns), -1);
    ck_assert_double_eq(hl_offset_hit_rate(&patterns, -1), 1);
    ck_assert_double_eq(hl_offset_score(&patterns, -2).value, 0);
    ck_assert_double_eq(hl_offset_hit_rate(&patterns, -2), 0);
    ck_assert_double_eq(hl_offset_score(&patterns, 0).value, 3.0 / 13); /* the first token of each looks at itself */
}

LOOP_TEST(an_offset_that_no_query_has_scores_nothing, 0, 2)
{
    made_up m = made_up_empty(2, 6, _i);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    const int64_t none[] = { -6, 6, -1000, INT64_MAX, 1 };
    for (int i = 0; i < (_i ? 5 : 4); i++) { /* a causal head never has the next token */
        hl_score score = hl_offset_score(&patterns, none[i]);
        ck_assert_int_eq(score.n, 0);
        ck_assert_double_eq(score.value, 0);
        ck_assert_double_eq(score.baseline, 0);
        ck_assert_double_eq(hl_offset_hit_rate(&patterns, none[i]), 0);
        ck_assert(isnan(hl_score_lift(score)));
    }
}

TEST(a_hit_is_the_first_of_equal_weights)
{
    made_up m = made_up_empty(1, 5, false);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_double_eq(hl_offset_hit_rate(&patterns, -1), 1.0 / 4); /* key 0 is the largest of all; query 1 has it */
    ck_assert_double_eq(hl_offset_hit_rate(&patterns, 1), 0);
    ck_assert_double_eq(hl_offset_hit_rate(&patterns, 0), 1.0 / 5);
}

TEST(the_best_is_the_lowest_of_equals)
{
    made_up m = made_up_empty(1, 4, false);
    made_up_spread_evenly(&m); /* every offset has exactly 1/4; -3 is that of one query, a quarter of them */
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_offset_best(&patterns), -3);
}

TEST(only_offsets_of_a_quarter_of_the_queries_are_candidates)
{
    /* T is 12, the length 8: two queries, a quarter of the real ones, have offset -6; one has -7. */
    made_up m = made_up_empty(1, 12, false);
    m.lengths[0] = 8;
    made_up_look_at_offset(&m, 0, 1);
    for (int64_t j = 0; j < 8; j++) {
        *made_up_at(&m, 0, 2, j) = (hl_real)0.125; /* offset 1 is not perfect */
        *made_up_at(&m, 0, 7, j) = j == 0;         /* offset -7 is, in its only query */
    }
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_double_eq(hl_offset_score(&patterns, -7).value, 1);
    ck_assert_int_eq(hl_offset_best(&patterns), 1);
    for (int64_t j = 0; j < 8; j++) {
        *made_up_at(&m, 0, 7, j) = j == 1; /* offset -6 is */
        *made_up_at(&m, 0, 6, j) = j == 0;
    }
    ck_assert_int_eq(hl_offset_best(&patterns), -6);
}

/* The definition, word by word: all queries, all keys, every pair that is k apart. */
static hl_score naive_score(made_up *m, int64_t k)
{
    hl_score score = { 0 };
    for (made_up_query q = { 0 }; made_up_next(m, &q);) {
        for (int64_t j = 0; j < m->n_tokens; j++) {
            if (j - q.i == k && made_up_permits(m, q.e, q.i, j)) {
                score.value += (double)*made_up_at(m, q.e, q.i, j);
                score.baseline += 1.0 / (double)q.n_keys;
                score.n++;
            }
        }
    }
    return score;
}

/* The number of queries whose largest weight is k away. */
static double naive_hits(made_up *m, int64_t k)
{
    double hits = 0;
    for (made_up_query q = { 0 }; made_up_next(m, &q);) {
        hits += q.largest - q.i == k;
    }
    return hits;
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    int64_t best = 0, queries = hl_patterns_queries(&patterns), real = 0;
    double largest = -1;
    for (int64_t k = -m.n_tokens; k <= m.n_tokens; k++) {
        hl_score expected = naive_score(&m, k), score = hl_offset_score(&patterns, k);
        double n = expected.n > 0 ? (double)expected.n : 1;
        expect_score(score, expected.value / n, expected.baseline / n, expected.n, 1e-12);
        ck_assert_double_eq_tol(hl_offset_hit_rate(&patterns, k), naive_hits(&m, k) / n, 1e-12);
        real += k == 0 ? expected.n : 0;
        if ((double)expected.n / (double)queries >= 0.25 && score.value > largest) {
            largest = score.value;
            best = k;
        }
    }
    ck_assert_int_eq(queries, real);
    ck_assert_int_eq(hl_offset_best(&patterns), best);
}

/* Wherever it lies among the offsets that are measured at once. */
TEST(every_offset_may_be_the_best_of_a_long_example)
{
    enum { LONG = 100 };
    static hl_real weights[LONG * LONG];
    const int32_t length = LONG;
    hl_patterns patterns = { .weights = weights, .lengths = &length, .n_heads = 1, .n_tokens = LONG, .n_examples = 1 };
    for (int64_t k = -75; k <= 75; k++) {
        memset(weights, 0, sizeof weights);
        for (int64_t i = k < 0 ? -k : 0; i < LONG && i + k < LONG; i++) {
            weights[i * LONG + i + k] = 1;
        }
        ck_assert_int_eq(hl_offset_best(&patterns), k);
    }
}

/* Longer than the offsets that are measured at once; each sum is that of its own offset to the last bit. */
LOOP_TEST(offsets_measured_at_once_are_those_measured_alone, 0, 2)
{
    enum { LONG = 100 };
    static hl_real weights[2 * LONG * LONG];
    const int32_t lengths[2] = { LONG, 81 };
    for (int i = 0; i < 2 * LONG * LONG; i++) {
        weights[i] = (hl_real)1 / (hl_real)(1 + i * 37 % 101);
    }
    hl_patterns patterns = {
        .weights = weights, .lengths = lengths, .n_heads = 1, .n_tokens = LONG, .causal = _i == 1, .n_examples = 2
    };
    int64_t best = 0;
    double largest = -1;
    for (int64_t k = -LONG; k <= LONG; k++) {
        double value = 0, baseline = 0;
        int64_t n = 0;
        for (int e = 0; e < 2; e++) {
            for (int64_t i = k < 0 ? -k : 0; i < lengths[e] && i + k < lengths[e] && (_i == 0 || k <= 0); i++, n++) {
                value += (double)weights[(e * LONG + i) * LONG + i + k];
                baseline += 1 / (double)(_i == 1 ? i + 1 : lengths[e]);
            }
        }
        value /= n > 0 ? (double)n : 1;
        baseline /= n > 0 ? (double)n : 1;
        for (int before = 0; before < HL_OFFSETS_AT_ONCE; before += 21) {
            hl_score scores[HL_OFFSETS_AT_ONCE];
            hl_offset_scores(&patterns, k - before, before + 1, scores);
            ck_assert_int_eq(scores[before].n, n);
            ck_assert_double_eq(scores[before].value, value);
            ck_assert_double_eq(scores[before].baseline, baseline);
        }
        if (4 * n >= LONG + 81 && value > largest) {
            largest = value;
            best = k;
        }
    }
    ck_assert_int_eq(hl_offset_best(&patterns), best);
}

TEST(lift_is_the_way_from_the_baseline_to_perfect)
{
    ck_assert_double_eq(hl_score_lift((hl_score){ 1, 0.25, 4 }), 1);
    ck_assert_double_eq(hl_score_lift((hl_score){ 0.25, 0.25, 4 }), 0);
    ck_assert_double_eq(hl_score_lift((hl_score){ 0.625, 0.25, 4 }), 0.5);
    ck_assert(isnan(hl_score_lift((hl_score){ 1, 1, 4 })));
}

SUITE("offset")
