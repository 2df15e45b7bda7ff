#include "heads/divergence.h"
#include "heads/heads_csv.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/heads/made_up.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>

static void expect_ok(hl_status status)
{
    CHECK_OK(status);
}

/* Two layers of two heads each, on two examples of 4 tokens, the first of which chooses and the other scores. */
typedef struct run {
    made_up layers[2];
    hl_heads_csv csv;
} run;

static void begin(run *r)
{
    *r = (run){ .csv = { 0 } };
    for (int l = 0; l < 2; l++) {
        r->layers[l] = made_up_empty(2, 4, false);
        for (r->layers[l].head = 0; r->layers[l].head < 2; r->layers[l].head++) {
            made_up_spread_evenly(&r->layers[l]);
        }
    }
}

/* Head h of layer l looks at k alone from now on. */
static void look(run *r, int l, int64_t h, int64_t k)
{
    r->layers[l].head = h;
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at_offset(&r->layers[l], e, k);
    }
}

static hl_status add_with(run *r, int64_t step, const hl_head_effect *effects)
{
    hl_patterns layers[2];
    for (int l = 0; l < 2; l++) {
        r->layers[l].head = 0;
        layers[l] = made_up_patterns(&r->layers[l]);
        layers[l].relations = NULL;
        layers[l].n_relations = 0;
    }
    return hl_heads_csv_add(&r->csv, step, layers, 2, NULL, effects);
}

static hl_status add(run *r, int64_t step)
{
    return add_with(r, step, NULL);
}

/* To be freed by hl_text_free. */
static hl_text printed(const run *r)
{
    hl_text text = { 0 };
    hl_heads_csv_print(&r->csv, NULL, -1, &text);
    expect_ok(hl_text_status(&text));
    return text;
}

/* Whether the whole line is in the text. */
static bool has(const hl_text *text, const char *line)
{
    char between[160];
    snprintf(between, sizeof between, "\n%s\n", line);
    return strstr(text->bytes, between) != NULL;
}

TEST(the_whole_text_of_one_head)
{
    made_up m = made_up_empty(2, 3, false);
    m.n_heads = 1;
    m.head = 0;
    made_up_spell(&m, 0, "343");
    made_up_spell(&m, 1, "133");
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, -1);
    }
    hl_patterns all = made_up_patterns(&m);
    all.n_relations = 0;
    hl_heads_csv csv = { 0 };
    expect_ok(hl_heads_csv_add(&csv, 0, &all, 1, NULL, NULL));
    hl_text *text = scratch_text();
    hl_heads_csv_print(&csv, NULL, -1, text);
    static const char expected[] = "step,layer,head,metric,value,baseline\n"
                                   "0,0,0,offset(-1),1,0.333333333\n"
                                   "0,0,0,offset(0),0.333333333,0.333333333\n"
                                   "0,0,0,offset(1),0,0.333333333\n"
                                   "0,0,0,best,1,0.333333333\n"
                                   "0,0,0,best.offset,-1,\n"
                                   "0,0,0,entropy,0,1.09861229\n"
                                   "0,0,0,entropy.normalised,0,1\n"
                                   "0,0,0,confidence,1,0.333333333\n"
                                   "0,0,0,distance,0.666666667,0.888888889\n"
                                   "0,0,0,distance.signed,-0.666666667,0\n";
    ck_assert_uint_gt(strlen(text->bytes), sizeof expected - 1);
    ck_assert_mem_eq(text->bytes, expected, sizeof expected - 1);
    static const char *const shares[] = {
        "0,0,0,special,0.666666667,0.333333333",  "0,0,0,first,0.666666667,0.333333333",
        "0,0,0,duplicate,0.5,0.333333333",        "0,0,0,duplicate.past,1,0.333333333",
        "0,0,0,duplicate.future,0,0.333333333",   "0,0,0,induction,0,0.333333333",
        "0,0,0,induction.mirrored,0,0.333333333",
    };
    for (int i = 0; i < ROWS(shares); i++) {
        ck_assert_msg(has(text, shares[i]), "%s is not in\n%s", shares[i], text->bytes);
    }
    hl_heads_csv_free(&csv);
}

/* A layer's importances of 3 and 4 have 5 as their length. */
TEST(what_heads_are_worth_is_told_of_the_step_with_effects_alone)
{
    static const hl_head_effect effects[] = { { .importance = 3, .loss_without = 0.5, .standard_error = 0.25 },
                                              { .importance = 4, .loss_without = -0.125, .standard_error = 0.5 },
                                              { .loss_without = 2 },
                                              { .standard_error = 1 } };
    run r;
    begin(&r);
    expect_ok(add(&r, 0));
    expect_ok(add_with(&r, 5, effects));
    hl_text text = printed(&r);
    ck_assert(has(&text, "5,0,0,importance,3,"));
    ck_assert(has(&text, "5,0,0,importance.normalised,0.6,"));
    ck_assert(has(&text, "5,0,0,loss_without,0.5,0.25"));
    ck_assert(has(&text, "5,0,1,importance.normalised,0.8,"));
    ck_assert(has(&text, "5,0,1,loss_without,-0.125,0.5"));
    ck_assert(has(&text, "5,1,0,importance.normalised,0,"));
    ck_assert(has(&text, "5,1,0,loss_without,2,0"));
    ck_assert(has(&text, "5,1,1,loss_without,0,1"));
    ck_assert_ptr_null(strstr(text.bytes, "\n0,0,0,importance"));
    ck_assert_ptr_null(strstr(text.bytes, "\n0,0,0,loss_without"));
    hl_text_free(&text);
    hl_heads_csv_free(&r.csv);
}

/* Two snapshots of heads that all look elsewhere, measured on so many threads. */
static hl_text printed_on_threads(int threads)
{
    run r;
    begin(&r);
    r.csv.threads = threads;
    for (int64_t step = 0; step < 2; step++) {
        look(&r, 0, 0, 0);
        look(&r, 0, 1, -1 - step);
        look(&r, 1, 0, 1);
        expect_ok(add(&r, step));
    }
    hl_text text = printed(&r);
    hl_heads_csv_free(&r.csv);
    return text;
}

TEST(threads_change_nothing)
{
    hl_text one = printed_on_threads(1);
    ck_assert(has(&one, "1,0,0,js(L0H1),0.34657359,0.519860385")); /* two and three rows of four apart: ln 2 */
    for (int threads = 2; threads < 8; threads++) {
        hl_text many = printed_on_threads(threads);
        ck_assert_str_eq(many.bytes, one.bytes);
        hl_text_free(&many);
    }
    hl_text_free(&one);
}

TEST(an_offset_that_is_once_the_best_of_a_head_is_there_for_all)
{
    run r;
    begin(&r);
    look(&r, 0, 0, 0);
    look(&r, 0, 1, -1);
    look(&r, 1, 0, 1);
    look(&r, 1, 1, -1);
    expect_ok(add(&r, 0));
    hl_text text = printed(&r);
    ck_assert(has(&text, "0,0,1,offset(-1),1,0.25"));
    ck_assert(has(&text, "0,0,1,best.offset,-1,"));
    ck_assert_ptr_null(strstr(text.bytes, "offset(-2)"));
    hl_text_free(&text);
    look(&r, 1, 0, -2);
    expect_ok(add(&r, 10));
    look(&r, 1, 0, 1);
    expect_ok(add(&r, 20));
    text = printed(&r);
    for (int l = 0; l < 2; l++) {
        for (int h = 0; h < 2; h++) {
            for (int step = 0; step <= 20; step += 10) {
                char line[64];
                snprintf(line, sizeof line, "%d,%d,%d,offset(-2),%d,0.25", step, l, h, step == 10 && l == 1 && h == 0);
                ck_assert_msg(has(&text, line), "%s is not in\n%s", line, text.bytes);
            }
        }
    }
    ck_assert_ptr_null(strstr(text.bytes, "offset(2)"));
    ck_assert_ptr_null(strstr(text.bytes, "offset(-3)"));
    hl_text_free(&text);
    hl_heads_csv_free(&r.csv);
}

/* Of one layer of one head on examples of 3 tokens, none of which is padded: it looks at the token before. */
static hl_validation_sums some_sums(void)
{
    static int32_t heads = 1;
    static int64_t queries[] = { 10, 20, 30, 20, 10 }, histogram[HL_ENTROPY_BINS] = { 30 };
    static double third[] = { 1 / 3.0, 1 / 3.0, 1 / 3.0, 1 / 3.0, 1 / 3.0 }, offset[] = { 0, 1, 1 / 3.0, 0, 0 };
    static double nothing = 0, one = 1, ln_3;
    ln_3 = log(3);
    return (hl_validation_sums){ .n_layers = 1,
                                 .heads = &heads,
                                 .n_tokens = 3,
                                 .queries = queries,
                                 .uniform = third,
                                 .entropy_uniform = &ln_3,
                                 .layers = { { offset, &nothing, &nothing, &one, histogram } } };
}

TEST(what_a_head_does_over_all_examples_follows)
{
    made_up m = made_up_empty(2, 3, false);
    m.n_heads = 1;
    m.head = 0;
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, 2);
    }
    hl_patterns all = made_up_patterns(&m);
    all.n_relations = 0;
    hl_validation_sums sums = some_sums();
    hl_heads_csv csv = { 0 };
    expect_ok(hl_heads_csv_add(&csv, 0, &all, 1, &sums, NULL));
    expect_ok(hl_heads_csv_add(&csv, 5, &all, 1, NULL, NULL));
    hl_text *text = scratch_text();
    hl_heads_csv_print(&csv, NULL, -1, text);
    const char *rows = strstr(text->bytes, "0,0,0,all."), *next = strstr(text->bytes, "5,0,0,offset(-1)");
    ck_assert_ptr_nonnull(rows);
    ck_assert_ptr_nonnull(next);
    static const char expected[] = "0,0,0,all.offset(-1),1,0.333333333\n"
                                   "0,0,0,all.offset(0),0.333333333,0.333333333\n"
                                   "0,0,0,all.offset(1),0,0.333333333\n"
                                   "0,0,0,all.offset(2),0,0.333333333\n" /* the best one of those recorded */
                                   "0,0,0,all.entropy,0,1.09861229\n"
                                   "0,0,0,all.entropy.normalised,0,1\n"
                                   "0,0,0,all.confidence,1,0.333333333\n"
                                   "0,0,0,all.distance,0.666666667,0.888888889\n"
                                   "0,0,0,all.distance.signed,-0.666666667,0\n";
    ck_assert_int_eq(next - rows, (long)sizeof expected - 1);
    ck_assert_mem_eq(rows, expected, sizeof expected - 1);
    ck_assert_ptr_null(strstr(next, "all."));
    hl_heads_csv_free(&csv);
}

TEST(sums_of_other_heads_are_refused)
{
    run r;
    begin(&r);
    hl_patterns layers[2] = { made_up_patterns(&r.layers[0]), made_up_patterns(&r.layers[1]) };
    hl_validation_sums sums = some_sums();
    ck_assert_int_eq(hl_heads_csv_add(&r.csv, 0, layers, 2, &sums, NULL).code, HL_INVALID);
    layers[0].n_heads = 2;
    ck_assert_int_eq(hl_heads_csv_add(&r.csv, 0, layers, 1, &sums, NULL).code, HL_INVALID);
    ck_assert_uint_eq(r.csv.n, 0);
    hl_heads_csv_free(&r.csv);
}

TEST(rows_are_sorted_by_step_layer_and_head)
{
    run r;
    begin(&r);
    expect_ok(add(&r, 0));
    expect_ok(add(&r, 5));
    hl_text text = printed(&r);
    int64_t last = -1;
    int rows[8] = { 0 }, pairs = 0; /* of each head at each step; of all pairs of heads */
    for (const char *line = strchr(text.bytes, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        int step, layer, head;
        ck_assert_int_eq(sscanf(line, "%d,%d,%d,", &step, &layer, &head), 3);
        ck_assert_int_ge(step * 100 + layer * 10 + head, last);
        last = step * 100 + layer * 10 + head;
        bool is_pair = strstr(line, ",js(") == line + strlen("0,0,0");
        pairs += is_pair;
        rows[(step > 0) * 4 + layer * 2 + head] += !is_pair;
    }
    ck_assert_int_eq(last, 511);
    for (int i = 1; i < 8; i++) {
        ck_assert_int_eq(rows[i], rows[0]);
    }
    ck_assert_int_eq(pairs, 2 * 6);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\n5,1,1,offset(-3),")); /* the best offset of an even spread */
    hl_text_free(&text);
    hl_heads_csv_free(&r.csv);
}

/* The js of an even spread over four keys and one key alone. */
static double spread_from_one_key(void)
{
    return (log(1 / 0.625) + 0.75 * log(0.25 / 0.125) + 0.25 * log(0.25 / 0.625)) / 2;
}

LOOP_TEST(two_heads_are_compared_with_the_same_two_in_the_untrained_network, 0, 2)
{
    run r;
    begin(&r);
    look(&r, 0, 1, 0);
    expect_ok(add(&r, _i));
    look(&r, 0, 0, 0);
    look(&r, 1, 1, 0);
    expect_ok(add(&r, 30));
    hl_text text = printed(&r);
    double js = spread_from_one_key();
    static const char *const pairs[6] = { "0,0,js(L0H1)", "0,0,js(L1H0)", "0,0,js(L1H1)",
                                          "0,1,js(L1H0)", "0,1,js(L1H1)", "1,0,js(L1H1)" };
    static const bool differ[2][6] = { { true, false, false, true, true, false },
                                       { false, true, false, true, false, true } };
    for (int p = 0; p < 6; p++) {
        double before = differ[0][p] ? js : 0, after = differ[1][p] ? js : 0;
        char line[128], baseline[32] = "";
        if (_i == 0) {
            snprintf(baseline, sizeof baseline, "%.9g", before);
        }
        snprintf(line, sizeof line, "%d,%s,%.9g,%s", _i, pairs[p], before, baseline);
        ck_assert_msg(has(&text, line), "%s is not in\n%s", line, text.bytes);
        snprintf(line, sizeof line, "30,%s,%.9g,%s", pairs[p], after, baseline);
        ck_assert_msg(has(&text, line), "%s is not in\n%s", line, text.bytes);
    }
    hl_text_free(&text);
    hl_heads_csv_free(&r.csv);
}

/* Ten heads of five layers; where T may be 1500, few of them are compared at once. */
enum { SOME_LAYERS = 5, SOME_TOKENS = 7 };

static void vary(made_up *m, int64_t seed)
{
    for (int64_t e = 0; e < m->n_examples; e++) {
        for (int64_t i = 0; i < SOME_TOKENS; i++) {
            double sum = 0;
            for (int64_t j = 0; j <= (m->causal ? i : SOME_TOKENS - 1); j++) {
                *made_up_at(m, e, i, j) = (hl_real)1 / (hl_real)(1 + (e + 7 * i + 3 * j * seed + 5 * seed) % 13);
                sum += (double)*made_up_at(m, e, i, j);
            }
            for (int64_t j = 0; j <= (m->causal ? i : SOME_TOKENS - 1); j++) {
                *made_up_at(m, e, i, j) /= (hl_real)sum;
            }
        }
    }
}

LOOP_TEST(js_is_that_of_the_two_heads_alone, 0, 6)
{
    static made_up heads[SOME_LAYERS];
    hl_patterns layers[SOME_LAYERS];
    for (int l = 0; l < SOME_LAYERS; l++) {
        heads[l] = made_up_empty(4, SOME_TOKENS, _i % 2 == 1);
        for (heads[l].head = 0; heads[l].head < 2; heads[l].head++) {
            vary(&heads[l], 1 + 2 * l + heads[l].head);
        }
        heads[l].head = 0;
        layers[l] = made_up_patterns(&heads[l]);
    }
    hl_heads_csv csv = { .n_tokens = _i < 2 ? 0 : 1500, .threads = 1 + _i / 2 % 3 };
    expect_ok(hl_heads_csv_add(&csv, 0, layers, SOME_LAYERS, NULL, NULL));
    int pairs = 0;
    for (size_t k = 0; k < csv.n; k++) {
        const hl_heads_csv_row *row = &csv.rows[k];
        if (row->reading.metric == HL_METRIC_JS) {
            hl_patterns one = hl_patterns_scoring(&layers[row->layer]);
            hl_patterns other = hl_patterns_scoring(&layers[row->reading.layer]);
            one.head = row->head;
            other.head = row->reading.parameter;
            ck_assert_double_eq_tol(row->reading.value, hl_divergence_of(&one, &other), 1e-13);
            ck_assert_double_gt(row->reading.value, 1e-3);
            pairs++;
        }
    }
    ck_assert_int_eq(pairs, 2 * SOME_LAYERS * (2 * SOME_LAYERS - 1) / 2);
    hl_heads_csv_free(&csv);
}

TEST(only_the_scoring_half_is_compared)
{
    run r;
    begin(&r);
    look(&r, 0, 0, 0);
    r.layers[0].head = 1;
    made_up_look_at_offset(&r.layers[0], 0, 0); /* the even example of L0H1; its odd one is spread evenly, as L1H0 */
    expect_ok(add(&r, 0));
    hl_text text = printed(&r);
    char line[128];
    snprintf(line, sizeof line, "0,0,0,js(L0H1),%.9g,%.9g", spread_from_one_key(), spread_from_one_key());
    ck_assert_msg(has(&text, line), "%s is not in\n%s", line, text.bytes);
    ck_assert(has(&text, "0,0,1,js(L1H0),0,0"));
    hl_text_free(&text);
    hl_heads_csv_free(&r.csv);
}

TEST(relations_have_their_names)
{
    static const char *const names[] = { "det_noun", "noun_det" };
    made_up m = made_up_empty(1, 3, false);
    made_up_look_at_offset(&m, 0, -1);
    m.head = 0;
    made_up_look_at_offset(&m, 0, 0);
    *made_up_partner(&m, 0, 0, 2) = 1;
    *made_up_partner(&m, 0, 1, 1) = 2;
    hl_patterns all = made_up_patterns(&m);
    hl_heads_csv csv = { 0 };
    expect_ok(hl_heads_csv_add(&csv, 0, &all, 1, NULL, NULL));
    hl_text *text = scratch_text();
    hl_heads_csv_print(&csv, names, -1, text);
    ck_assert(has(text, "0,0,0,relation(det_noun),0,1"));
    ck_assert(has(text, "0,0,1,relation(det_noun),1,1"));
    ck_assert(has(text, "0,0,1,relation(noun_det),0,1"));
    hl_heads_csv_free(&csv);
}

TEST(a_snapshot_of_another_shape_is_refused)
{
    run r, other;
    begin(&r);
    begin(&other);
    expect_ok(add(&r, 0));
    size_t rows = r.csv.n;
    hl_patterns layers[3] = { made_up_patterns(&r.layers[0]), made_up_patterns(&r.layers[1]),
                              made_up_patterns(&r.layers[1]) };
    ck_assert_int_eq(hl_heads_csv_add(&r.csv, 3, layers, 1, NULL, NULL).code, HL_INVALID);
    ck_assert_int_eq(hl_heads_csv_add(&r.csv, 3, layers, 3, NULL, NULL).code, HL_INVALID);
    layers[1].n_heads = 1;
    ck_assert_int_eq(hl_heads_csv_add(&r.csv, 3, layers, 2, NULL, NULL).code, HL_INVALID);
    layers[1].n_heads = 2;
    layers[0].n_tokens = layers[1].n_tokens = 5;
    hl_status status = hl_heads_csv_add(&r.csv, 3, layers, 2, NULL, NULL);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "the patterns of step 3 are of another shape than those before");
    ck_assert_uint_eq(r.csv.n, rows);
    layers[0].n_tokens = 4; /* nor may layers differ in the first */
    ck_assert_int_eq(hl_heads_csv_add(&other.csv, 0, layers, 2, NULL, NULL).code, HL_INVALID);
    ck_assert_uint_eq(other.csv.n, 0);
    hl_heads_csv_free(&other.csv);
    hl_heads_csv_free(&r.csv);
}

/* Adds steps, in each of which a head has another best offset, until an allocation fails or there are no more. */
static bool fails(run *r, int64_t first_step)
{
    static const int64_t offsets[] = { 0, -1, 1, -2, 2, -3, 3 };
    for (int64_t step = first_step; step < 7; step++) {
        bool best[7] = { false };
        size_t rows = r->csv.n;
        memcpy(best, r->csv.best != NULL ? r->csv.best : best, sizeof best);
        look(r, 0, 1, offsets[step]);
        hl_status status = add(r, step);
        if (status.code != HL_OK) {
            ck_assert_int_eq(status.code, HL_NO_MEMORY);
            ck_assert_uint_eq(r->csv.n, rows);
            ck_assert(r->csv.best == NULL || memcmp(r->csv.best, best, sizeof best) == 0);
            ck_assert(rows > 0 || !r->csv.has_untrained);
            return true;
        }
    }
    return false;
}

LOOP_TEST(want_of_memory_adds_nothing, 0, 2)
{
    faults_begin();
    run r;
    begin(&r);
    int n = 0;
    for (bool failed = true; failed;) {
        faults_in_memory(0, FAULTS_ONCE);
        if (_i == 1) {
            expect_ok(add(&r, 0));
        }
        faults_in_memory(++n, FAULTS_ONCE);
        failed = fails(&r, _i);
        hl_heads_csv_free(&r.csv);
        ck_assert_int_eq(faults_live_blocks(), 0);
    }
    ck_assert_int_gt(n, _i == 0 ? 2 : 1);
    faults_end();
}

SUITE("heads.csv")
