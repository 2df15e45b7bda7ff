#include "core/base/threads.h"
#include "core/kernels/private/dropout_mask.h"
#include "core/kernels/random.h"
#include "core/ops/attention.h"
#include "core/ops/dropout.h"
#include "core/ops/linear.h"
#include "tests/check_suite.h"
#include "tests/owned.h"

#include <math.h>
#include <string.h>

enum { N = 1 << 17, EXAMPLES = 7 };

static const hl_random source = { .seed = 21, .stream = 22, .step = 23 };
static hl_real ones[EXAMPLES * 12], mask[N], other[N];

/* The factors of `count` positions from `first` on, in pieces that begin and end anywhere. */
static void draw(hl_random random, hl_dropout_rate rate, int first, int count, hl_real *m)
{
    hl_dropout_draws draws = { .random = random, .rate = rate };
    for (int i = 0; i < count; i += 100) {
        hl_dropout_draw(&draws, (uint64_t)first + (uint64_t)i, count - i < 100 ? count - i : 100, m + i);
    }
}

TEST(rates_are_rounded_and_keep_the_expectation)
{
    static const struct {
        hl_real p;
        uint32_t dropped;
    } known[] = { { 0, 0 }, { 0.5f, 32768 }, { 0.25f, 16384 }, { 0.1f, 6554 }, { 1e-6f, 0 }, { 0.999999f, 65535 } };
    for (int i = 0; i < 6; i++) {
        hl_dropout_rate rate = hl_dropout_rate_of(known[i].p);
        ck_assert_uint_eq(rate.dropped, known[i].dropped);
        ck_assert_double_eq_tol((double)rate.scale * (65536 - rate.dropped) / 65536, 1, 1e-6);
    }
}

TEST(so_many_drop_and_the_others_are_scaled)
{
    static const hl_real rates[] = { 0.1f, 0.5f, 0.9f };
    for (int r = 0; r < 3; r++) {
        double p = (double)rates[r];
        hl_dropout_rate rate = hl_dropout_rate_of(rates[r]);
        draw(source, rate, 0, N, mask);
        int dropped = 0, neighbours = 0;
        for (int i = 0; i < N; i++) {
            ck_assert(mask[i] == 0 || mask[i] == rate.scale);
            dropped += mask[i] == 0;
            neighbours += i > 0 && mask[i] == 0 && mask[i - 1] == 0;
        }
        double deviation = sqrt(p * (1 - p) / N);
        ck_assert_double_eq_tol((double)dropped / N, p, 4 * deviation);
        ck_assert_double_eq_tol((double)neighbours / N, p * p, 8 * deviation); /* independent of the one before */
    }
}

/* A range that begins and ends anywhere gets the factors of its positions. */
TEST(a_fate_depends_on_the_position_alone)
{
    hl_dropout_rate rate = hl_dropout_rate_of(0.4f);
    draw(source, rate, 0, 600, mask);
    for (int first = 0; first < 280; first += 7) {
        for (int count = 0; count < 300; count += 13) {
            memset(other, 0, sizeof(hl_real) * 320);
            other[count] = 77;
            draw(source, rate, first, count, other);
            ck_assert_mem_eq(other, mask + first, (size_t)count * sizeof *mask);
            ck_assert(other[count] == 77);
        }
    }
}

/* The 16 bits that decide about a position: 128 draws from 16 blocks side by side. */
static uint32_t bits_at(uint64_t position)
{
    uint32_t words[4];
    hl_random_block(source, position / 128 * 16 + position % 16, words);
    uint64_t half = position % 128 / 16;
    return words[half / 2] >> (half % 2 * 16) & 0xffff;
}

TEST(a_number_drops_where_its_bits_are_below_the_rate)
{
    for (int at = 0; at < 256; at++) {
        hl_dropout_rate kept = { .dropped = bits_at((uint64_t)at), .scale = 2 }, drops = kept;
        drops.dropped++;
        draw(source, kept, at, 1, mask);
        draw(source, drops, at, 1, other);
        ck_assert(mask[0] == 2 && other[0] == 0);
    }
}

TEST(other_seeds_streams_and_steps_have_other_masks)
{
    hl_dropout_rate rate = hl_dropout_rate_of(0.5f);
    hl_random others[] = { source, source, source };
    others[0].seed++;
    others[1].stream++;
    others[2].step++;
    draw(source, rate, 0, 1000, mask);
    for (int i = 0; i < 3; i++) {
        draw(others[i], rate, 0, 1000, other);
        int equal = 0;
        for (int k = 0; k < 1000; k++) {
            equal += mask[k] == other[k];
        }
        ck_assert_int_gt(equal, 420);
        ck_assert_int_lt(equal, 580);
    }
}

/* The outputs of ops with dropout of probability 1/2 for examples whose numbers are all 1. */
typedef struct outputs {
    hl_real dropout[EXAMPLES * 12], linear[EXAMPLES * 12], attention[EXAMPLES * 8];
} outputs;

/* `count` examples of 4 rows of 3 numbers, and attention's (H = 2) over one feature. */
static outputs run(hl_tape_options options, int64_t count)
{
    outputs result;
    int32_t offsets[EXAMPLES + 1];
    for (int b = 0; b <= EXAMPLES; b++) {
        offsets[b] = 4 * b;
    }
    const hl_sequences sequences = { .n = count, .longest = 4, .offsets = offsets };
    hl_tape *tape = owned_tape((size_t)1 << 16, options);
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(count * 4, 3), ones, false);
    hl_tensor *w = hl_tape_tensor(tape, HL_SHAPE(3, 3), ones, false);
    hl_linear_args linear = { .x = x, .W = w, .dropout = 0.5f, .dropout_stream = 7 };
    hl_tensor *q = hl_tape_tensor(tape, HL_SHAPE(count * 4, 2), ones, false);
    hl_tensor *out = hl_attention(tape, (hl_attention_args){
                                            .q.x = q,
                                            .k.x = q,
                                            .v.x = q,
                                            .queries = sequences,
                                            .keys = sequences,
                                            .n_heads = 2,
                                            .n_kv_heads = 2,
                                            .d_k = 1,
                                            .d_v = 1,
                                            .dropout = 0.5f,
                                            .dropout_stream = 6,
                                        });
    memcpy(result.dropout, hl_dropout(tape, x, 0.5f, 5)->data, (size_t)count * 12 * sizeof(hl_real));
    memcpy(result.linear, hl_linear_fused(tape, linear)->data, (size_t)count * 12 * sizeof(hl_real));
    memcpy(result.attention, out->data, (size_t)count * 8 * sizeof(hl_real));
    return result;
}

static void make_ones(void)
{
    hl_threads_setup();
    for (int i = 0; i < EXAMPLES * 12; i++) {
        ones[i] = 1;
    }
}

static void check_all_differ(const outputs *a, const outputs *b)
{
    ck_assert(memcmp(a->dropout, b->dropout, sizeof a->dropout) != 0);
    ck_assert(memcmp(a->linear, b->linear, sizeof a->linear) != 0);
    ck_assert(memcmp(a->attention, b->attention, sizeof a->attention) != 0);
}

TEST(every_op_draws_anew_in_another_step_and_by_another_seed)
{
    make_ones();
    outputs first = run((hl_tape_options){ .training = true, .seed = 3, .step = 4 }, EXAMPLES);
    outputs step = run((hl_tape_options){ .training = true, .seed = 3, .step = 5 }, EXAMPLES);
    outputs seed = run((hl_tape_options){ .training = true, .seed = 2, .step = 4 }, EXAMPLES);
    check_all_differ(&first, &step);
    check_all_differ(&first, &seed);
}

/* Examples in any order and company, by their places. */
TEST(a_row_draws_by_its_place_whatever_its_company)
{
    make_ones();
    hl_tape_options options = { .training = true, .seed = 3, .step = 4 };
    int64_t places[EXAMPLES * 4];
    for (int i = 0; i < EXAMPLES * 4; i++) {
        places[i] = i / 4 * 9 + i % 4; /* of a model whose longest examples have 9 tokens */
    }
    options.places = places;
    options.n_places = EXAMPLES * 4;
    outputs whole = run(options, EXAMPLES);
    static const int companies[][4] = { { 0, -1 }, { 5, -1 }, { 3, 1, -1 }, { 6, 0, 2, -1 } };
    for (int i = 0; i < 4; i++) {
        int64_t chosen[12], n = 0;
        for (; n < 3 && companies[i][n] >= 0; n++) {
            memcpy(chosen + 4 * n, places + 4 * companies[i][n], 4 * sizeof *chosen);
        }
        options.places = chosen;
        options.n_places = 4 * n;
        outputs some = run(options, n);
        for (int64_t e = 0; e < n; e++) {
            int at = companies[i][e];
            ck_assert_mem_eq(some.dropout + e * 12, whole.dropout + at * 12, 12 * sizeof(hl_real));
            ck_assert_mem_eq(some.linear + e * 12, whole.linear + at * 12, 12 * sizeof(hl_real));
            ck_assert_mem_eq(some.attention + e * 8, whole.attention + at * 8, 8 * sizeof(hl_real));
        }
    }
    options.places = NULL; /* a row's place is its index */
    outputs shifted = run(options, EXAMPLES);
    check_all_differ(&whole, &shifted);
    for (int i = 0; i < EXAMPLES * 4; i++) {
        places[i] = i;
    }
    options.places = places;
    options.n_places = EXAMPLES * 4;
    outputs same = run(options, EXAMPLES);
    ck_assert_mem_eq(&same, &shifted, sizeof same);
}

/* Examples of one place draw the same; rows far apart share no draw. */
TEST(equal_places_draw_the_same_and_others_do_not)
{
    make_ones();
    int64_t places[EXAMPLES * 4];
    for (int i = 0; i < EXAMPLES * 4; i++) {
        places[i] = i % 4;
    }
    outputs same =
        run((hl_tape_options){ .training = true, .seed = 3, .places = places, .n_places = EXAMPLES * 4 }, EXAMPLES);
    for (int e = 1; e < EXAMPLES; e++) {
        ck_assert_mem_eq(same.dropout + e * 12, same.dropout, 12 * sizeof(hl_real));
        ck_assert_mem_eq(same.attention + e * 8, same.attention, 8 * sizeof(hl_real));
    }
    outputs others = run((hl_tape_options){ .training = true, .seed = 3 }, EXAMPLES);
    ck_assert(memcmp(others.dropout + 12, others.dropout, 12 * sizeof(hl_real)) != 0);
    ck_assert(memcmp(others.attention + 8, others.attention, 8 * sizeof(hl_real)) != 0);
}

/* The factors of gathered rows are those that their rows have where all are there. */
TEST(gathered_rows_draw_by_the_places_of_their_rows)
{
    enum { ROWS = 9, D = 5, M = 6, BASE = 20 };
    static const int32_t rows[M] = { 20, 21, 24, 25, 28, 24 }, outside[M] = { 20, 21, 24, 25, 29, 24 };
    int64_t places[ROWS];
    for (int i = 0; i < ROWS; i++) {
        places[i] = i < 5 ? i : 100 + 3 * i;
    }
    make_ones();
    for (int given = 0; given < 2; given++) {
        hl_tape_options options = { .training = true, .seed = 3, .step = 4 };
        options.places = given == 1 ? places : NULL;
        options.n_places = ROWS;
        hl_tape *tape = owned_tape((size_t)1 << 16, options);
        const hl_tensor *all = hl_dropout(tape, hl_tape_tensor(tape, HL_SHAPE(ROWS, D), ones, false), 0.5f, 5);
        hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(M, D), ones, false);
        const hl_tensor *some = hl_dropout_rows(tape, x, 0.5f, 5, rows, BASE);
        ck_assert(all != NULL && some != NULL);
        for (int m = 0; m < M; m++) {
            ck_assert_mem_eq(some->data + m * D, all->data + (rows[m] - BASE) * D, D * sizeof(hl_real));
        }
        ck_assert_ptr_null(hl_dropout_rows(tape, x, 0.5f, 5, given == 1 ? outside : rows, given == 1 ? BASE : 21));
        ck_assert_msg(strstr(hl_tape_status(tape).text, given == 1 ? "row 9 at place 4" : "row -1 at place 0") != NULL,
                      "%s", hl_tape_status(tape).text);
    }
}

SUITE("dropout")
