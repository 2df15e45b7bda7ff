#include "core/op_attention.h"
#include "core/op_dropout.h"
#include "core/op_linear.h"
#include "core/private/dropout_mask.h"
#include "core/random.h"
#include "core/threads.h"
#include "tests/check_suite.h"

#include <math.h>
#include <string.h>

enum { N = 1 << 17, EXAMPLES = 7 };

static const hl_random source = { .seed = 21, .stream = 22, .step = 23 };
static hl_real ones[EXAMPLES * 12], mask[N], other[N];

/* The factors of `count` positions from `first` on, group by group. */
static void draw(hl_random random, hl_dropout_rate rate, int first, int count, hl_real *m)
{
    for (int i = 0; i < count; i += HL_DROPOUT_GROUP) {
        int n = count - i < HL_DROPOUT_GROUP ? count - i : HL_DROPOUT_GROUP;
        hl_real group[HL_DROPOUT_GROUP];
        hl_dropout_factors(random, rate, (uint64_t)first + (uint64_t)i, n, group);
        memcpy(m + i, group, (size_t)n * sizeof *m);
    }
}

START_TEST(rates_are_rounded_and_keep_the_expectation)
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
END_TEST

START_TEST(so_many_drop_and_the_others_are_scaled)
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
END_TEST

/* A range that begins and ends anywhere gets the factors of its positions. */
START_TEST(a_fate_depends_on_the_position_alone)
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
END_TEST

/* The 16 bits that decide about a position: 128 draws from 16 blocks side by side. */
static uint32_t bits_at(uint64_t position)
{
    uint32_t words[4];
    hl_random_block(source, position / 128 * 16 + position % 16, words);
    uint64_t half = position % 128 / 16;
    return words[half / 2] >> (half % 2 * 16) & 0xffff;
}

START_TEST(a_number_drops_where_its_bits_are_below_the_rate)
{
    for (int at = 0; at < 256; at++) {
        hl_dropout_rate kept = { .dropped = bits_at((uint64_t)at), .scale = 2 }, drops = kept;
        drops.dropped++;
        draw(source, kept, at, 1, mask);
        draw(source, drops, at, 1, other);
        ck_assert(mask[0] == 2 && other[0] == 0);
    }
}
END_TEST

START_TEST(other_seeds_streams_and_steps_have_other_masks)
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
END_TEST

/* The outputs of ops with dropout of probability 1/2 for examples whose numbers are all 1. */
typedef struct outputs {
    hl_real dropout[EXAMPLES * 12], linear[EXAMPLES * 12], attention[EXAMPLES * 6];
} outputs;

/* `count` examples (4, 3), and attention's (H = 2, T = 3) over one feature. */
static outputs run(hl_tape_options options, int64_t count)
{
    outputs result;
    hl_arena arena;
    hl_tape tape;
    ck_assert_int_eq(hl_arena_init(&arena, (size_t)1 << 16).code, HL_OK);
    hl_tape_begin(&tape, &arena, options);
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(count, 4, 3), ones, false);
    hl_tensor *w = hl_tape_tensor(&tape, HL_SHAPE(3, 3), ones, false);
    hl_linear_args linear = { .x = x, .W = w, .dropout = 0.5f, .dropout_stream = 7 };
    hl_tensor *q = hl_tape_tensor(&tape, HL_SHAPE(count, 3, 2), ones, false);
    hl_tensor *out = hl_attention(&tape, (hl_attention_args){
                                             .q.x = q,
                                             .k.x = q,
                                             .v.x = q,
                                             .n_heads = 2,
                                             .n_kv_heads = 2,
                                             .d_k = 1,
                                             .d_v = 1,
                                             .dropout = 0.5f,
                                             .dropout_stream = 6,
                                         });
    memcpy(result.dropout, hl_dropout(&tape, x, 0.5f, 5)->data, (size_t)count * 12 * sizeof(hl_real));
    memcpy(result.linear, hl_linear_fused(&tape, linear)->data, (size_t)count * 12 * sizeof(hl_real));
    memcpy(result.attention, out->data, (size_t)count * 6 * sizeof(hl_real));
    hl_arena_free(&arena);
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

START_TEST(every_op_draws_anew_in_another_step_and_by_another_seed)
{
    make_ones();
    outputs first = run((hl_tape_options){ .training = true, .seed = 3, .step = 4 }, EXAMPLES);
    outputs step = run((hl_tape_options){ .training = true, .seed = 3, .step = 5 }, EXAMPLES);
    outputs seed = run((hl_tape_options){ .training = true, .seed = 2, .step = 4 }, EXAMPLES);
    check_all_differ(&first, &step);
    check_all_differ(&first, &seed);
}
END_TEST

START_TEST(a_batch_in_parts_draws_the_masks_of_the_whole)
{
    make_ones();
    hl_tape_options options = { .training = true, .seed = 3, .step = 4 };
    outputs whole = run(options, EXAMPLES);
    static const int64_t cuts[] = { 0, 1, 3, EXAMPLES };
    for (int i = 0; i < 3; i++) {
        int64_t first = cuts[i], count = cuts[i + 1] - first;
        options.first_example = first;
        outputs part = run(options, count);
        ck_assert_mem_eq(part.dropout, whole.dropout + first * 12, (size_t)count * 12 * sizeof(hl_real));
        ck_assert_mem_eq(part.linear, whole.linear + first * 12, (size_t)count * 12 * sizeof(hl_real));
        ck_assert_mem_eq(part.attention, whole.attention + first * 6, (size_t)count * 6 * sizeof(hl_real));
    }
    options.first_example = 1;
    outputs shifted = run(options, EXAMPLES);
    check_all_differ(&whole, &shifted);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, rates_are_rounded_and_keep_the_expectation);
    tcase_add_test(tc, so_many_drop_and_the_others_are_scaled);
    tcase_add_test(tc, a_fate_depends_on_the_position_alone);
    tcase_add_test(tc, a_number_drops_where_its_bits_are_below_the_rate);
    tcase_add_test(tc, other_seeds_streams_and_steps_have_other_masks);
    tcase_add_test(tc, every_op_draws_anew_in_another_step_and_by_another_seed);
    tcase_add_test(tc, a_batch_in_parts_draws_the_masks_of_the_whole);
}
SUITE("dropout", add_tests)
