#include "heads/entropy.h"
#include "heads/label.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"
#include "tests/scratch.h"

#include <stdio.h>

#include <string.h>

/* Examples of 8 tokens, all ordinary and different, attended to evenly: 1/8 each. A key with 9/16 has a lift of exactly
 * 1/2; the others then have 1/16. */
enum { N = 8 };
static const hl_real ENOUGH = (hl_real)0.5625, TOO_LITTLE = (hl_real)0.56249;

static made_up even(int64_t n_examples)
{
    made_up m = made_up_empty(n_examples, N, false);
    made_up_spread_evenly(&m);
    return m;
}

/* Measured on the same patterns again, the label's score is what it is. */
static hl_label label_of(made_up *m)
{
    hl_patterns all = made_up_patterns(m);
    hl_label label = hl_label_of(&all);
    hl_score again = hl_label_score(label, &all);
    ck_assert_double_eq(again.value, label.score.value);
    ck_assert_double_eq(again.baseline, label.score.baseline);
    ck_assert_int_eq(again.n, label.score.n);
    return label;
}

static void expect(made_up *m, hl_label_kind kind, int64_t parameter)
{
    hl_label label = label_of(m);
    ck_assert_int_eq(label.kind, kind);
    ck_assert_int_eq(label.parameter, parameter);
}

/* Why it is mixed. */
static void expect_miss(made_up *m, const char *words)
{
    hl_text *text = scratch_text();
    hl_text_print(text, "%s", "");
    hl_label_print_miss(text, label_of(m), NULL);
    ck_assert_str_eq(text->bytes, words);
}

/* Whether nothing but spread or mixed is left. */
static void expect_none(made_up *m)
{
    ck_assert_int_ge(label_of(m).kind, HL_LABEL_UNIFORM);
}

/* The queries that have offset k prefer it with that weight. */
static made_up preferring_offset(int64_t k, hl_real weight)
{
    made_up m = even(4);
    for (int64_t e = 0; e < 4; e++) {
        for (int64_t i = 0; i < N; i++) {
            if (i + k >= 0 && i + k < N) {
                made_up_prefer(&m, e, i, i + k, weight);
            }
        }
    }
    return m;
}

LOOP_TEST(offsets_need_half_of_the_way, -5, 6)
{
    made_up enough = preferring_offset(_i, ENOUGH), too_little = preferring_offset(_i, TOO_LITTLE);
    expect(&enough,
           _i == -1  ? HL_LABEL_PREVIOUS
           : _i == 1 ? HL_LABEL_NEXT
           : _i == 0 ? HL_LABEL_SELF
                     : HL_LABEL_OFFSET,
           _i);
    expect_none(&too_little);
    hl_label_miss nearest = label_of(&too_little).nearest;
    ck_assert_int_eq(nearest.kind, label_of(&enough).kind);
    ck_assert_int_eq(nearest.parameter, _i);
    ck_assert(hl_score_lift(nearest.score) < 0.5 && hl_score_lift(nearest.score) > 0.4 && nearest.lacks == NULL);
    hl_score score = label_of(&enough).score;
    ck_assert_double_eq(score.value, 0.5625);
    ck_assert_double_eq(score.baseline, 0.125);
    ck_assert_int_eq(score.n, 2 * (N - (_i < 0 ? -_i : _i)));
}

/* Examples of 11 tokens, whose queries with an offset of k (-1 or 1), 40 in the scoring half, prefer it, all but
 * `others` in that half. */
static made_up with_others(int64_t k, int64_t others)
{
    made_up m = made_up_empty(8, 11, false);
    made_up_spread_evenly(&m);
    for (int64_t e = 0; e < 8; e++) {
        for (int64_t n = 0; n < 10; n++) {
            int64_t i = k < 0 ? n + 1 : n;
            bool other = e % 2 == 1 && e / 2 * 10 + n < others;
            made_up_prefer(&m, e, i, other ? i : i + k, (hl_real)0.875);
        }
    }
    return m;
}

LOOP_TEST(offsets_need_the_largest_weight_in_nine_of_ten, 0, 2)
{
    int offset = _i == 0 ? -1 : 1;
    made_up enough = with_others(offset, 4), too_few = with_others(offset, 5);
    expect(&enough, offset < 0 ? HL_LABEL_PREVIOUS : HL_LABEL_NEXT, offset);
    expect(&too_few, HL_LABEL_MIXED, 0);
    ck_assert_double_gt(hl_score_lift(label_of(&too_few).score), 0.5); /* of the best offset: far enough, not often */
    char words[160];
    snprintf(words, sizeof words,
             "nearest is %s: %.3f would do, but in more than 10%% of the queries another token gets most",
             offset < 0 ? "previous" : "next", label_of(&too_few).score.value);
    expect_miss(&too_few, words);
}

TEST(the_offset_is_chosen_on_the_other_half)
{
    made_up m = preferring_offset(-3, ENOUGH);
    for (int64_t e = 0; e < 4; e += 2) {
        for (int64_t i = 0; i < N - 2; i++) {
            made_up_look_at(&m, e, i, i + 2);
        }
    }
    expect_none(&m); /* the odd ones look at -3, but the even ones chose 2 */
}

/* Query i of example e has its source at i - far(e, i), and attends to it with that weight. */
static made_up aligned(int64_t (*far)(int64_t e, int64_t i), hl_real weight)
{
    made_up m = even(8);
    for (int64_t e = 0; e < 8; e++) {
        for (int64_t i = 3; i < N; i++) {
            *made_up_source(&m, e, i) = (int32_t)(i - far(e, i));
            made_up_prefer(&m, e, i, i - far(e, i), weight);
        }
    }
    return m;
}

static int64_t varying(int64_t e, int64_t i)
{
    return 1 + (e / 2 + i) % 3;
}

TEST(alignment_needs_half_of_the_way)
{
    made_up enough = aligned(varying, ENOUGH), too_little = aligned(varying, TOO_LITTLE);
    expect(&enough, HL_LABEL_ALIGNMENT, 0);
    expect_none(&too_little);
    hl_score score = label_of(&enough).score;
    ck_assert_double_eq(score.value, 0.5625);
    ck_assert_double_gt(score.baseline, 0.3); /* that of heads.csv: one fixed offset */
}

/* -2 but for 2 and 3 of the 20 queries in the scoring half. */
static int64_t often(int64_t e, int64_t i)
{
    return i == N - 1 && e % 2 == 1 && e < 4 ? 1 : 2;
}

static int64_t less_often(int64_t e, int64_t i)
{
    return i == N - 1 && e % 2 == 1 && e < 6 ? 1 : 2;
}

TEST(alignment_is_no_fixed_offset)
{
    made_up fixed = aligned(often, ENOUGH), free = aligned(less_often, ENOUGH);
    for (int64_t e = 0; e < 8; e++) { /* this query has no source; it keeps -2 from being a label of its own */
        made_up_look_at(&fixed, e, 2, 2);
        made_up_look_at(&free, e, 2, 2);
    }
    expect(&free, HL_LABEL_ALIGNMENT, 0);
    expect(&fixed, HL_LABEL_MIXED, 0);
}

/* Four pairs an example, of no fixed offset; in each example the head finds the first `hits`, by little. */
static made_up related(int64_t r, const int64_t hits[4])
{
    static const int32_t partners[4] = { 3, 0, 6, 1 }; /* of the tokens 2, 4, 5, 7 */
    static const int64_t tokens[4] = { 2, 4, 5, 7 };
    made_up m = even(4);
    for (int64_t e = 0; e < 4; e++) {
        for (int64_t p = 0; p < 4; p++) {
            *made_up_partner(&m, e, r, tokens[p]) = partners[p];
            made_up_prefer(&m, e, tokens[p], p < hits[e] ? partners[p] : tokens[p], (hl_real)0.2);
        }
    }
    return m;
}

TEST(relations_need_half_of_the_way)
{
    /* Nine of 16 pairs are exactly half of the way from 1/8. */
    made_up m = made_up_empty(8, N, false), one = related(1, (int64_t[]){ 4, 2, 4, 2 });
    made_up_spread_evenly(&m);
    for (int64_t e = 0; e < 8; e++) {
        memcpy(made_up_partner(&m, e, 1, 0), made_up_partner(&one, e % 4, 1, 0), N * sizeof *m.relations);
        memcpy(&m.weights[e * 2 * N * N], &one.weights[e % 4 * 2 * N * N], 2 * N * N * sizeof *m.weights);
    }
    expect_none(&m); /* 8 of 16 */
    made_up_look_at(&m, 7, 5, 6);
    expect(&m, HL_LABEL_RELATION, 1);
    hl_score score = label_of(&m).score;
    ck_assert_double_eq(score.value, 9.0 / 16);
    ck_assert_int_eq(score.n, 16);
}

TEST(the_relation_is_chosen_on_the_other_half)
{
    made_up m = related(0, (int64_t[]){ 3, 4, 3, 4 });
    made_up other = related(1, (int64_t[]){ 4, 4, 4, 4 });
    expect(&m, HL_LABEL_RELATION, 0);
    for (int64_t e = 0; e < 4; e++) { /* a second relation, of one pair, that is found in the even ones alone */
        *made_up_partner(&m, e, 1, 2) = e % 2 == 0 ? 3 : 5;
    }
    expect_none(&m);
    for (int64_t e = 0; e < 4; e++) {
        *made_up_partner(&m, e, 1, 2) = 3;
    }
    expect(&m, HL_LABEL_RELATION, 1);
    for (int64_t e = 0; e < 4; e++) { /* of equals the lowest */
        memcpy(made_up_partner(&other, e, 0, 0), made_up_partner(&other, e, 1, 0), N * sizeof *m.relations);
    }
    expect(&other, HL_LABEL_RELATION, 0);
}

/* Queries of all examples that prefer a key. */
typedef struct preference {
    int64_t query, key;
} preference;

static made_up preferring(const char *digits, const preference *preferences, int n, hl_real weight)
{
    made_up m = even(4);
    for (int64_t e = 0; e < 4; e++) {
        made_up_spell(&m, e, digits);
        for (int p = 0; p < n; p++) {
            made_up_prefer(&m, e, preferences[p].query, preferences[p].key, weight);
        }
    }
    return m;
}

LOOP_TEST(habits_need_half_of_the_way, 0, 4)
{
    static const struct {
        const char *digits;
        hl_label_kind kind;
        int n;
        preference preferences[N];
    } known[] = {
        { "34536785", HL_LABEL_INDUCTION, 2, { { 3, 1 }, { 7, 3 } } },
        { "34536784", HL_LABEL_DUPLICATE, 4, { { 0, 3 }, { 3, 0 }, { 1, 7 }, { 7, 1 } } },
        { "34567890",
          HL_LABEL_FIRST,
          8,
          { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, 0 }, { 6, 0 }, { 7, 0 } } },
        { "34562789",
          HL_LABEL_SPECIAL,
          8,
          { { 0, 4 }, { 1, 4 }, { 2, 4 }, { 3, 4 }, { 4, 4 }, { 5, 4 }, { 6, 4 }, { 7, 4 } } },
    };
    made_up enough = preferring(known[_i].digits, known[_i].preferences, known[_i].n, ENOUGH);
    made_up too_little = preferring(known[_i].digits, known[_i].preferences, known[_i].n, TOO_LITTLE);
    for (int64_t e = 0; e < 4; e++) { /* in FIRST, no token is padding */
        *made_up_token(&enough, e, 7) += *made_up_token(&enough, e, 7) == 0 ? 20 : 0;
        *made_up_token(&too_little, e, 7) += *made_up_token(&too_little, e, 7) == 0 ? 20 : 0;
    }
    expect(&enough, known[_i].kind, 0);
    ck_assert_double_eq(label_of(&enough).score.value, 0.5625);
    ck_assert_double_eq(label_of(&enough).score.baseline, 0.125);
    expect_none(&too_little);
}

TEST(the_first_that_is_earned_counts)
{
    /* Everyone looks at the first token, a mask: first and special. */
    made_up m = even(2);
    for (int64_t e = 0; e < 2; e++) {
        for (int64_t i = 0; i < N; i++) {
            made_up_look_at(&m, e, i, 0);
        }
        *made_up_token(&m, e, 0) = HL_MASK;
    }
    expect(&m, HL_LABEL_FIRST, 0);
    /* Token 7 is the same as 0 and 6 the same as 7: looking from 7 at 0 is a duplicate. */
    for (int64_t e = 0; e < 2; e++) {
        made_up_spell(&m, e, "34567893");
    }
    made_up_look_at(&m, 0, 0, 7);
    made_up_look_at(&m, 1, 0, 7);
    expect(&m, HL_LABEL_DUPLICATE, 0);
    /* Three in a row: query 2 looks at 1, a duplicate, and what came after the first one. */
    for (int64_t e = 0; e < 2; e++) {
        made_up_spell(&m, e, "45633378");
        made_up_look_at(&m, e, 3, 4);
        made_up_look_at(&m, e, 4, 3);
        made_up_look_at(&m, e, 5, 4);
    }
    expect(&m, HL_LABEL_DUPLICATE, 0); /* 4 does not look at 4 as induction has it */
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at(&m, e, 4, 4);
    }
    expect(&m, HL_LABEL_INDUCTION, 0);
    for (int64_t e = 0; e < 2; e++) {
        *made_up_partner(&m, e, 1, 5) = 4;
    }
    expect(&m, HL_LABEL_RELATION, 1);
    for (int64_t e = 0; e < 2; e++) {
        *made_up_source(&m, e, 5) = 4;
        *made_up_source(&m, e, 4) = 4;
    }
    expect(&m, HL_LABEL_ALIGNMENT, 0);
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, -3);
        *made_up_source(&m, e, 4) = 1;
        *made_up_source(&m, e, 5) = 2;
        *made_up_source(&m, e, 0) = 0;
    }
    expect(&m, HL_LABEL_OFFSET, -3);
}

/* Every query prefers a key of its own, of no kind, with that weight. */
static made_up wandering(hl_real weight)
{
    made_up m = even(4);
    for (int64_t e = 0; e < 4; e++) {
        for (int64_t i = 0; i < N; i++) {
            made_up_prefer(&m, e, i, (5 * i + e) % N, weight);
        }
    }
    return m;
}

TEST(uniform_is_an_entropy_above_95_percent)
{
    hl_real low = (hl_real)0.125, high = 1; /* where it is 0.95, found by halving */
    for (int n = 0; n < 40; n++) {
        made_up m = wandering((low + high) / 2);
        hl_patterns all = made_up_patterns(&m);
        *(hl_entropy_of(&all).normalised > 0.95 ? &low : &high) = (low + high) / 2;
    }
    made_up above = wandering(low - (hl_real)0.0001), below = wandering(high + (hl_real)0.0001), flat = even(4);
    expect(&above, HL_LABEL_UNIFORM, 0);
    expect(&below, HL_LABEL_MIXED, 0);
    expect(&flat, HL_LABEL_UNIFORM, 0);
    hl_label label = label_of(&flat);
    ck_assert_double_eq(label.score.value, 0.125);
    ck_assert_int_gt(label.score.n, 0);
}

LOOP_TEST(one_token_is_no_habit, 0, 2)
{
    made_up m = made_up_empty(2, 3, _i);
    m.lengths[0] = m.lengths[1] = 1;
    made_up_spread_evenly(&m);
    *made_up_source(&m, 1, 0) = 0;
    expect(&m, HL_LABEL_MIXED, 0); /* every lift is 0 / 0, and no entropy is normalised */
    expect_miss(&m, "no label's score is above its baseline");
}

TEST(a_causal_head_has_labels_too)
{
    made_up m = made_up_empty(3, 9, true);
    for (int64_t e = 0; e < 3; e++) {
        made_up_look_at_offset(&m, e, -1);
    }
    expect(&m, HL_LABEL_PREVIOUS, -1);
    made_up_spread_evenly(&m);
    expect(&m, HL_LABEL_UNIFORM, 0);
}

SUITE("label")
