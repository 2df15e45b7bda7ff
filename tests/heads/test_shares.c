/* Metrics of kinds of keys (heads/shares.h) over tokens; over words: test_word.c. */
#include "heads/shares.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

/* ---- the definitions, as sets of keys ---- */

/* Puts into `keys` (T) which ones query i of example e is to attend to, whether it may or not. */
typedef void key_rule(made_up *m, int64_t e, int64_t i, bool *keys);

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

/* `all`: the mean is over all queries; else over those that may attend to a key of the set. */
static hl_score naive(made_up *m, key_rule *rule, bool all)
{
    hl_score score = { 0 };
    for (made_up_query q = { 0 }; made_up_next(m, &q);) {
        bool keys[MADE_UP_TOKENS] = { false };
        double n_named = 0;
        rule(m, q.e, q.i, keys);
        for (int64_t j = 0; j < m->n_tokens; j++) {
            if (keys[j] && made_up_permits(m, q.e, q.i, j)) {
                n_named++;
                score.value += (double)*made_up_at(m, q.e, q.i, j);
            }
        }
        score.baseline += n_named / (double)q.n_keys;
        score.n += n_named > 0 || all;
    }
    double n = score.n > 0 ? (double)score.n : 1;
    return (hl_score){ score.value / n, score.baseline / n, score.n };
}

/* Every query attends to the last key of its set alone; queries without one to themselves. */
static void attend_to_keys(made_up *m, key_rule *rule)
{
    for (made_up_query q = { 0 }; made_up_next(m, &q);) {
        bool keys[MADE_UP_TOKENS] = { false };
        int64_t key = q.i;
        rule(m, q.e, q.i, keys);
        for (int64_t j = 0; j < m->n_tokens; j++) {
            key = keys[j] && made_up_permits(m, q.e, q.i, j) ? j : key;
        }
        made_up_look_at(m, q.e, q.i, key);
    }
}

/* On random patterns, on even spreads and on heads that attend to nothing but a key of the set. */
LOOP_TEST(random_patterns_agree_with_the_definition, 0, 40)
{
    static const struct {
        hl_score (*measure)(const hl_patterns *patterns);
        key_rule *rule;
        bool all;
    } metrics[] = { { hl_special_of, special_keys, true },
                    { hl_first_of, first_key, true },
                    { hl_duplicate_of, duplicate_keys, false },
                    { hl_duplicate_past_of, earlier_keys, false },
                    { hl_duplicate_future_of, later_keys, false },
                    { hl_induction_of, after_earlier, false },
                    { hl_induction_mirrored_of, before_later, false } };
    for (int k = 0; k < ROWS(metrics); k++) {
        key_rule *rule = metrics[k].rule;
        bool all = metrics[k].all;
        made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
        hl_patterns patterns = made_up_patterns(&m);
        hl_score expected = naive(&m, rule, all);
        expect_score(metrics[k].measure(&patterns), expected.value, expected.baseline, expected.n, 1e-12);

        made_up_spread_evenly(&m);
        expect_score(metrics[k].measure(&patterns), expected.baseline, expected.baseline, expected.n, 1e-6);

        attend_to_keys(&m, rule);
        hl_score score = metrics[k].measure(&patterns);
        ck_assert(all || score.n == 0 || score.value == 1);
        ck_assert_double_eq_tol(score.value, naive(&m, rule, all).value, 1e-12);
    }
}

/* ---- by hand ---- */

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
    /* The queries that have no such key, too. */
    expect_score(hl_special_of(&patterns), 6 * 0.7 / 9, 6 * 0.5 / 9, 9, 1e-6);
}

LOOP_TEST(a_head_of_specials_scores_exactly_1, 0, 2)
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

TEST(only_other_occurrences_of_ordinary_tokens_count)
{
    made_up m = made_up_empty(1, 8, false);
    made_up_spell(&m, 0, "34131313"); /* the last two are padding */
    m.lengths[0] = 6;
    for (int64_t i = 0; i < 6; i++) {
        made_up_prefer(&m, 0, i, 3, (hl_real)0.5); /* a 3; 0.1 on each other */
    }
    hl_patterns patterns = made_up_patterns(&m);
    /* The queries 0, 3 and 5 look at each other. */
    expect_score(hl_duplicate_of(&patterns), ((0.5 + 0.1) + (0.1 + 0.1) + (0.1 + 0.5)) / 3, 2.0 / 6, 3, 1e-6);
    expect_score(hl_duplicate_past_of(&patterns), (0.1 + (0.1 + 0.5)) / 2, (1.0 / 6 + 2.0 / 6) / 2, 2, 1e-6);
    expect_score(hl_duplicate_future_of(&patterns), ((0.5 + 0.1) + 0.1) / 2, (2.0 / 6 + 1.0 / 6) / 2, 2, 1e-6);
}

TEST(a_causal_query_has_no_later_occurrence)
{
    made_up m = made_up_empty(1, 4, true);
    made_up_spell(&m, 0, "3434");
    made_up_look_at_offset(&m, 0, -2);
    hl_patterns patterns = made_up_patterns(&m);
    expect_score(hl_duplicate_of(&patterns), 1, (1.0 / 3 + 1.0 / 4) / 2, 2, 0);
    ck_assert_int_eq(hl_duplicate_past_of(&patterns).n, 2);
    ck_assert_int_eq(hl_duplicate_future_of(&patterns).n, 0);
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
    double expected = _i ? 1.0 / 4 + 1.0 / 5 + 2.0 / 6 + 2.0 / 8 : 6.0 / 8;
    expect_score(hl_induction_of(&patterns), 1, expected / 4, 4, 0);
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
    expect_score(hl_induction_mirrored_of(&patterns), 1, 1.0 / 6, 1, 0); /* query 3 would have key 4, a separator */
    ck_assert_int_eq(hl_induction_of(&patterns).n, 1);                   /* query 2: what followed the first 3 */
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

/* Nothing occurs twice, or nobody knows. */
TEST(where_there_is_no_key_there_is_nothing_to_score)
{
    static hl_score (*const metrics[])(const hl_patterns *patterns) = { hl_duplicate_of,          hl_duplicate_past_of,
                                                                        hl_duplicate_future_of,   hl_induction_of,
                                                                        hl_induction_mirrored_of, hl_special_of };
    made_up m = made_up_empty(2, 5, false);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_duplicate_of(&patterns).n, 0);
    ck_assert_int_eq(hl_induction_of(&patterns).n, 0);
    made_up_spell(&m, 0, "34343");
    patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_induction_of(&patterns).n, 3);
    patterns.tokens = NULL;
    for (int k = 0; k < ROWS(metrics); k++) {
        hl_score score = metrics[k](&patterns);
        ck_assert(score.n == 0 && score.value == 0 && score.baseline == 0);
    }
    ck_assert_int_eq(hl_first_of(&patterns).n, 10);
}

SUITE("shares")
