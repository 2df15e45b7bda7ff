#include "core/dropout_mask.h"
#include "core/op_attention.h"
#include "core/op_dropout.h"
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

/* A part that begins and ends anywhere gets the fates of its positions. */
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

/* What dropout makes of `count` examples (4, 3) from `first` of the whole batch on, at p = 0.5, and of attention
 * weights (H = 2, T = 3) over one feature of ones. */
static void run(int64_t first, int64_t count, hl_real *y, hl_real *z)
{
    hl_arena arena;
    hl_tape tape;
    ck_assert_int_eq(hl_arena_init(&arena, (size_t)1 << 16).code, HL_OK);
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .training = true, .seed = 3, .step = 4, .first_example = first });
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(count, 4, 3), ones, false);
    memcpy(y, hl_dropout(&tape, x, 0.5f, 5)->data, (size_t)count * 12 * sizeof *y);
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
    memcpy(z, out->data, (size_t)count * 6 * sizeof *z);
    hl_arena_free(&arena);
}

START_TEST(a_batch_in_parts_draws_the_masks_of_the_whole)
{
    hl_threads_setup();
    for (int i = 0; i < EXAMPLES * 12; i++) {
        ones[i] = 1;
    }
    hl_real y[EXAMPLES * 12], z[EXAMPLES * 6], y_part[EXAMPLES * 12], z_part[EXAMPLES * 6];
    run(0, EXAMPLES, y, z);
    static const int64_t cuts[] = { 0, 1, 3, EXAMPLES };
    for (int i = 0; i < 3; i++) {
        int64_t first = cuts[i], count = cuts[i + 1] - first;
        run(first, count, y_part, z_part);
        ck_assert_mem_eq(y_part, y + first * 12, (size_t)count * 12 * sizeof *y);
        ck_assert_mem_eq(z_part, z + first * 6, (size_t)count * 6 * sizeof *z);
    }
    run(1, EXAMPLES, y_part, z_part);
    ck_assert(memcmp(y_part, y, sizeof y) != 0);
    ck_assert(memcmp(z_part, z, sizeof z) != 0);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, rates_are_rounded_and_keep_the_expectation);
    tcase_add_test(tc, so_many_drop_and_the_others_are_scaled);
    tcase_add_test(tc, a_fate_depends_on_the_position_alone);
    tcase_add_test(tc, other_seeds_streams_and_steps_have_other_masks);
    tcase_add_test(tc, a_batch_in_parts_draws_the_masks_of_the_whole);
}
SUITE("dropout", add_tests)
