#include "heads/validation_sums.h"

#include "core/base/threads.h"
#include "heads/offset.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

#include <string.h>

enum { HEADS = 8, OFFSETS = 2 * MADE_UP_TOKENS - 1 };

/* Sums of one layer, with their memory. */
typedef struct gathered {
    hl_validation_sums sums;
    int32_t heads;
    int64_t queries[OFFSETS], histogram[HEADS * HL_ENTROPY_BINS];
    double uniform[OFFSETS], entropy_uniform, offset[HEADS * OFFSETS], entropy[HEADS], normalised[HEADS],
        confidence[HEADS];
} gathered;

static void begin(gathered *g, int64_t n_heads, int64_t n_tokens, bool causal)
{
    *g = (gathered){ .heads = (int32_t)n_heads };
    g->sums = (hl_validation_sums){ .n_layers = 1,
                                    .heads = &g->heads,
                                    .n_tokens = n_tokens,
                                    .causal = causal,
                                    .queries = g->queries,
                                    .uniform = g->uniform,
                                    .entropy_uniform = &g->entropy_uniform };
    g->sums.layers[0] = (hl_validation_sums_layer){ g->offset, g->entropy, g->normalised, g->confidence, g->histogram };
}

/* The examples as sequences, whose weights, (H, T, T) each, are packed as hl_validation_sums_add takes them: the first
 * n rows and columns of an example of n tokens, at H * T times its first row. */
static void add_packed(hl_validation_sums *sums, const hl_real *weights, const int32_t *lengths, int64_t B, int64_t T,
                       int threads)
{
    static hl_real packed[64 * HEADS * MADE_UP_TOKENS * MADE_UP_TOKENS];
    int32_t offsets[65] = { 0 };
    int64_t H = sums->heads[0];
    ck_assert(B <= 64 && T <= MADE_UP_TOKENS && H <= HEADS);
    for (int64_t b = 0; b < B; b++) {
        int64_t n = lengths[b];
        hl_real *to = packed + H * sums->n_tokens * offsets[b];
        for (int64_t row = 0; row < H * n; row++) {
            memcpy(to + row * n, weights + ((b * H + row / n) * T + row % n) * T, (size_t)n * sizeof *to);
        }
        offsets[b + 1] = offsets[b] + lengths[b];
    }
    const hl_sequences examples = { .n = B, .longest = T, .offsets = offsets };
    hl_validation_sums_add_lengths(sums, &examples);
    hl_validation_sums_add(sums, 0, packed, &examples, threads);
}

static void add(gathered *g, const made_up *m, int64_t first, int64_t count)
{
    int64_t example = m->n_heads * m->n_tokens * m->n_tokens;
    add_packed(&g->sums, m->weights + first * example, m->lengths + first, count, m->n_tokens, 1);
}

/* All examples at once. */
static gathered *gather(const made_up *m)
{
    static gathered g;
    begin(&g, m->n_heads, m->n_tokens, m->causal);
    add(&g, m, 0, m->n_examples);
    hl_validation_sums_finish(&g.sums);
    return &g;
}

LOOP_TEST(a_head_that_looks_at_the_token_before, 0, 2)
{
    made_up m = made_up_empty(2, 8, _i);
    m.lengths[1] = 5;
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, -1);
    }
    const gathered *g = gather(&m);
    const hl_validation_sums *s = &g->sums;
    double even = _i ? (1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5) * 2 + 1.0 / 6 + 1.0 / 7 + 1.0 / 8 : 7.0 / 8 + 4.0 / 5;
    ck_assert_double_eq(hl_validation_sums_offset(s, 0, 1, -1).value, 1);
    expect_score(hl_validation_sums_offset(s, 0, 1, -1), 1, even / 11, 11, 1e-12);
    expect_score(hl_validation_sums_offset(s, 0, 1, 0), 2.0 / 13, _i ? (even + 2) / 13 : 2.0 / 13, 13,
                 1e-12); /* the first of each */
    expect_score(hl_validation_sums_offset(s, 0, 1, -7), 0, 1.0 / 8, 1, 1e-12);
    ck_assert_int_eq(hl_validation_sums_offset(s, 0, 1, 1).n, _i ? 0 : 11);
    ck_assert_int_eq(hl_validation_sums_offset(s, 0, 1, 8).n, 0);
    ck_assert_int_eq(hl_validation_sums_offset(s, 0, 1, -8).n, 0);
    hl_validation_scores scores = hl_validation_sums_scores(s, 0, 1);
    ck_assert_double_eq(scores.entropy.value, 0);
    ck_assert_double_eq(scores.normalised.value, 0);
    ck_assert_double_eq(scores.confidence.value, 1);
    ck_assert_double_eq(scores.distance.value, 11.0 / 13);
    ck_assert_double_eq(scores.directed.value, -11.0 / 13);
    for (int bin = 0; bin < HL_ENTROPY_BINS; bin++) {
        ck_assert_int_eq(g->histogram[HL_ENTROPY_BINS + bin], bin > 0 ? 0 : _i ? 11 : 13);
    }
}

static void expect_baseline(hl_score score)
{
    ck_assert_int_gt(score.n, 0);
    ck_assert_double_eq_tol(score.value, score.baseline, 1e-6);
}

LOOP_TEST(an_even_spread_is_its_baseline, 0, 2)
{
    made_up m = made_up_empty(3, 9, _i);
    m.lengths[1] = 4;
    m.lengths[2] = 1;
    made_up_spread_evenly(&m);
    const gathered *g = gather(&m);
    const hl_validation_sums *s = &g->sums;
    for (int64_t k = -8; k <= (_i ? 0 : 8); k++) {
        expect_baseline(hl_validation_sums_offset(s, 0, 1, k));
    }
    expect_baseline(hl_validation_sums_scores(s, 0, 1).entropy);
    expect_baseline(hl_validation_sums_scores(s, 0, 1).normalised);
    expect_baseline(hl_validation_sums_scores(s, 0, 1).confidence);
    expect_baseline(hl_validation_sums_scores(s, 0, 1).distance);
    expect_baseline(hl_validation_sums_scores(s, 0, 1).directed);
    /* All rows but those of one key. */
    ck_assert_int_eq(g->histogram[2 * HL_ENTROPY_BINS - 1], _i ? 11 : 13);
    ck_assert_int_eq(hl_validation_sums_scores(s, 0, 1).normalised.n, _i ? 11 : 13);
    ck_assert_int_eq(hl_validation_sums_scores(s, 0, 1).entropy.n, 14);
}

TEST(queries_fall_into_the_bins_of_their_entropy)
{
    made_up m = made_up_empty(1, 4, false);
    made_up_look_at(&m, 0, 0, 2);
    for (int64_t j = 0; j < 4; j++) {
        *made_up_at(&m, 0, 1, j) = j < 2 ? (hl_real)0.498 : (hl_real)0.002; /* just above a half of ln 4 */
        *made_up_at(&m, 0, 2, j) = j < 2 ? (hl_real)0.5 + (hl_real)0.1 * (hl_real)(2 * j - 1) : 0; /* 0.4855 */
        *made_up_at(&m, 0, 3, j) = (hl_real)0.25;
    }
    const gathered *g = gather(&m);
    for (int bin = 0; bin < HL_ENTROPY_BINS; bin++) {
        ck_assert_int_eq(g->histogram[HL_ENTROPY_BINS + bin], bin == 0 || bin == 10 || bin == 9 || bin == 19);
    }
}

/* Padding and keys behind the mask hold 1000: none of it counts. */
LOOP_TEST(random_patterns_agree_with_the_plain_metrics_of_the_same_examples, 0, 40)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    const hl_validation_sums *s = &gather(&m)->sums;
    hl_patterns all = made_up_patterns(&m);
    for (int64_t k = -MADE_UP_TOKENS; k <= MADE_UP_TOKENS; k++) {
        hl_score plain = hl_offset_score(&all, k);
        expect_score(hl_validation_sums_offset(s, 0, 1, k), plain.value, plain.baseline, plain.n, 1e-12);
    }
    expect_scores(hl_validation_sums_scores(s, 0, 1), plain_scores(&all), 1e-12);
}

LOOP_TEST(batches_of_any_size_give_the_same_bits, 0, 40)
{
    static gathered parts;
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    const gathered *whole = gather(&m);
    begin(&parts, m.n_heads, m.n_tokens, m.causal);
    int64_t first = 0;
    for (int64_t size = 1; first < m.n_examples; first += size, size = _i % 3 + 1) {
        add(&parts, &m, first, m.n_examples - first < size ? m.n_examples - first : size);
    }
    hl_validation_sums_finish(&parts.sums);
    ck_assert_mem_eq(parts.queries, whole->queries, sizeof parts - offsetof(gathered, queries));
}

/* A batch that is padded less than the longest of all. */
TEST(a_shorter_batch_counts_as_any)
{
    static gathered g;
    made_up m = made_up_empty(2, 6, false);
    for (int64_t e = 0; e < 2; e++) {
        made_up_look_at_offset(&m, e, -2);
    }
    begin(&g, 2, 11, false);
    add(&g, &m, 0, 2);
    hl_validation_sums_finish(&g.sums);
    expect_score(hl_validation_sums_offset(&g.sums, 0, 1, -2), 1, 1.0 / 6, 8, 1e-12);
    ck_assert_int_eq(hl_validation_sums_offset(&g.sums, 0, 1, -6).n, 0);
    expect_score(hl_validation_sums_scores(&g.sums, 0, 1).distance, 16.0 / 12, 35.0 / 18, 12, 1e-12);
}

TEST(the_same_bits_at_any_number_of_threads)
{
    enum { B = 40, H = 7, T = MADE_UP_TOKENS }; /* enough for a fork */
    static hl_real weights[B * H * T * T];
    static int32_t lengths[B];
    static gathered one, more;
    const hl_random random = { .seed = 7, .stream = 1 };
    for (int64_t i = 0; i < B * H * T * T; i++) {
        weights[i] = hl_random_uniform(random, (uint64_t)i) / T;
    }
    for (int b = 0; b < B; b++) {
        lengths[b] = 1 + b * 5 % T;
    }
    hl_threads_setup();
    for (int threads = 1; threads <= 4; threads++) {
        gathered *g = threads == 1 ? &one : &more;
        begin(g, H, T, false);
        add_packed(&g->sums, weights, lengths, B, T, threads);
        hl_validation_sums_finish(&g->sums);
        ck_assert_mem_eq(g->queries, one.queries, sizeof one - offsetof(gathered, queries));
    }
    ck_assert_double_gt(one.entropy[H - 1], 0);
}

TEST(of_nothing_all_is_0)
{
    static gathered g;
    begin(&g, 2, 5, false);
    hl_validation_sums_finish(&g.sums);
    expect_score(hl_validation_sums_offset(&g.sums, 0, 1, 0), 0, 0, 0, 1e-12);
    expect_score(hl_validation_sums_scores(&g.sums, 0, 1).entropy, 0, 0, 0, 1e-12);
    expect_score(hl_validation_sums_scores(&g.sums, 0, 1).distance, 0, 0, 0, 1e-12);
}

SUITE("validation sums")
