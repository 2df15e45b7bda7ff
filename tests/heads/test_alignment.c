#include "heads/alignment.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

/* Examples of 6 tokens, of which the last three are to be fetched from the first three. */
static made_up fetching(int64_t n_examples, bool causal)
{
    made_up m = made_up_empty(n_examples, 6, causal);
    for (int64_t e = 0; e < n_examples; e++) {
        for (int64_t i = 3; i < 6; i++) {
            *made_up_source(&m, e, i) = (int32_t)i - 3;
        }
    }
    return m;
}

LOOP_TEST(a_perfect_head_scores_exactly_1, 0, 2)
{
    made_up m = fetching(2, _i);
    for (int e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, -3);
    }
    hl_patterns patterns = made_up_patterns(&m);
    hl_alignment alignment = hl_alignment_of(&patterns);
    ck_assert_double_eq(alignment.weight.value, 1);
    ck_assert_double_eq(alignment.hit_rate, 1);
    ck_assert_int_eq(alignment.weight.n, 6);
    ck_assert_double_eq_tol(alignment.weight.baseline, _i ? (1.0 / 4 + 1.0 / 5 + 1.0 / 6) / 3 : 1.0 / 6, 1e-15);
    ck_assert_int_eq(hl_alignment_fixed_best(&patterns), -3);
    ck_assert_double_eq(hl_alignment_fixed_rate(&patterns, -3), 1);
    ck_assert_double_eq(hl_alignment_fixed_rate(&patterns, -2), 0);
}

TEST(the_largest_weight_is_the_first_of_equals)
{
    made_up m = made_up_empty(1, 4, false);
    for (int64_t i = 2; i < 4; i++) {
        for (int64_t j = 0; j < 4; j++) {
            *made_up_at(&m, 0, i, j) = j == 1 || j == 3 ? (hl_real)0.5 : 0;
        }
    }
    *made_up_source(&m, 0, 2) = 1;
    *made_up_source(&m, 0, 3) = 3;
    hl_patterns patterns = made_up_patterns(&m);
    hl_alignment alignment = hl_alignment_of(&patterns);
    ck_assert_double_eq(alignment.weight.value, 0.5);
    ck_assert_double_eq(alignment.hit_rate, 0.5);
    *made_up_source(&m, 0, 2) = HL_IGNORE;
    ck_assert_double_eq(hl_alignment_of(&patterns).hit_rate, 0);
    /* Offsets -1 and 0 were right once each: the lowest. */
    *made_up_source(&m, 0, 2) = 1;
    ck_assert_int_eq(hl_alignment_fixed_best(&patterns), -1);
    ck_assert_double_eq(hl_alignment_fixed_rate(&patterns, -1), 0.5);
}

LOOP_TEST(without_sources_there_is_nothing_to_score, 0, 2)
{
    made_up m = made_up_empty(2, 5, _i);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    for (int stated = 0; stated < 2; stated++) {
        hl_alignment alignment = hl_alignment_of(&patterns);
        ck_assert_int_eq(alignment.weight.n, 0);
        ck_assert_double_eq(alignment.weight.value, 0);
        ck_assert_double_eq(alignment.weight.baseline, 0);
        ck_assert_double_eq(alignment.hit_rate, 0);
        ck_assert_int_eq(hl_alignment_fixed_best(&patterns), 0);
        ck_assert_double_eq(hl_alignment_fixed_rate(&patterns, -1), 0);
        patterns.sources = NULL;
    }
}

TEST(a_forbidden_source_cannot_be_found)
{
    made_up m = made_up_empty(1, 4, true);
    made_up_look_at_offset(&m, 0, 0);
    *made_up_source(&m, 0, 1) = 3;
    *made_up_source(&m, 0, 2) = 2;
    hl_patterns patterns = made_up_patterns(&m);
    hl_alignment alignment = hl_alignment_of(&patterns);
    ck_assert_int_eq(alignment.weight.n, 2);
    ck_assert_double_eq(alignment.weight.value, 0.5);
    ck_assert_double_eq(alignment.weight.baseline, 1.0 / 3 / 2);
    ck_assert_double_eq(alignment.hit_rate, 0.5);
    ck_assert_double_eq(hl_alignment_fixed_rate(&patterns, 2), 0);
    ck_assert_double_eq(hl_alignment_fixed_rate(&patterns, 0), 0.5);
    ck_assert_int_eq(hl_alignment_fixed_best(&patterns), 0);
}

/* Sums over the queries with a source: of the weight there, of 1 / n_i, of hits, and of hits by offset k. */
typedef struct naive_sums {
    double weight, even, hits, fixed;
    int64_t n;
} naive_sums;

static naive_sums naive(made_up *m, int64_t k)
{
    naive_sums sums = { 0 };
    for (made_up_query q = { 0 }; made_up_next(m, &q);) {
        int64_t source = *made_up_source(m, q.e, q.i);
        sums.n += source >= 0;
        if (source >= 0 && made_up_permits(m, q.e, q.i, source)) {
            sums.weight += (double)*made_up_at(m, q.e, q.i, source);
            sums.even += 1.0 / (double)q.n_keys;
            sums.hits += q.largest == source;
            sums.fixed += source - q.i == k;
        }
    }
    return sums;
}

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    hl_alignment alignment = hl_alignment_of(&patterns);
    int64_t best = 0;
    double largest = 0;
    for (int64_t k = -m.n_tokens; k <= m.n_tokens; k++) {
        naive_sums sums = naive(&m, k);
        double n = sums.n > 0 ? (double)sums.n : 1;
        expect_score(alignment.weight, sums.weight / n, sums.even / n, sums.n, 1e-12);
        ck_assert_double_eq_tol(alignment.hit_rate, sums.hits / n, 1e-12);
        ck_assert_double_eq_tol(hl_alignment_fixed_rate(&patterns, k), sums.fixed / n, 1e-12);
        if (sums.fixed / n > largest) {
            largest = sums.fixed / n;
            best = k;
        }
    }
    ck_assert_int_eq(hl_alignment_fixed_best(&patterns), best);
}

SUITE("alignment")
