/* Which keys a query sees. A mask that is wrong in forward and backward alike passes the gradient check; only values
 * show it. */
#include "core/kernels/mask.h"

#include "core/kernels/random.h"
#include "tests/check_suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(a_query_sees_the_first_keys_that_every_rule_permits)
{
    hl_mask none = { 0 }, causal = { .causal = true };
    for (int64_t i = 0; i < 3; i++) {
        ck_assert_int_eq(hl_mask_row_keys(&none, i, 4).end, 4);
        ck_assert_int_eq(hl_mask_row_keys(&causal, i, 4).end, i + 1);
        ck_assert_int_eq(hl_mask_row_keys(&causal, i, 2).end, i + 1 < 2 ? i + 1 : 2);
    }
}

/* |i - j| <= w / 2, or i - w < j <= i, pair by pair. Queries may lie beyond all keys. */
TEST(a_window_shows_the_keys_near_a_query)
{
    for (int w = 1; w < 9; w++) {
        for (int causal = 0; causal < 2; causal++) {
            hl_mask mask = { .causal = causal == 1, .window = w };
            for (int i = 0; i < 12; i++) {
                hl_keys keys = hl_mask_row_keys(&mask, i, 7);
                ck_assert(0 <= keys.begin && keys.begin <= keys.end && keys.end <= 7);
                for (int j = 0; j < 7; j++) {
                    bool sees = causal == 1 ? i - w < j && j <= i : 2 * abs(i - j) <= w;
                    ck_assert(sees == (keys.begin <= j && j < keys.end));
                }
            }
        }
    }
}

TEST(a_bias_is_found_by_example_head_and_query)
{
    static hl_real numbers[2 * 3 * 2 * 5];
    ck_assert_ptr_null(hl_mask_row_bias(&(hl_mask){ 0 }, 1, 2, 1));
    for (int shared = 0; shared < 4; shared++) {
        int64_t B = shared & 1 ? 1 : 2, H = shared & 2 ? 1 : 3;
        hl_tensor bias = { .shape = HL_SHAPE(B, H, 2, 5), .data = numbers };
        hl_mask mask = { .bias = &bias };
        int64_t matrix = (B > 1 ? 1 : 0) * H + (H > 1 ? 2 : 0);
        ck_assert_ptr_eq(hl_mask_row_bias(&mask, 1, 2, 1), numbers + (matrix * 2 + 1) * 5);
    }
}

TEST(weights_are_a_distribution_over_the_permitted_keys)
{
    const hl_real x[5] = { 1, 2, 3, 100, 100 }, bias[5] = { 0, -INFINITY, 1, 0, 0 };
    hl_real w[5];
    hl_masked_softmax(x, NULL, (hl_keys){ 0, 3 }, 5, w);
    double sum = exp(-2) + exp(-1) + 1;
    for (int j = 0; j < 3; j++) {
        ck_assert_double_eq_tol((double)w[j], exp(j - 2) / sum, 1e-7);
    }
    ck_assert(w[3] == 0 && w[4] == 0);
    hl_masked_softmax(x, bias, (hl_keys){ 0, 3 }, 5, w);
    ck_assert_double_eq_tol((double)w[0], exp(-3) / (1 + exp(-3)), 1e-7);
    ck_assert(w[1] == 0 && w[3] == 0 && w[4] == 0);
    ck_assert_double_eq_tol((double)w[2], 1 / (1 + exp(-3)), 1e-7);
    const hl_real large[2] = { 1e30f, 1e30f };
    hl_masked_softmax(large, NULL, (hl_keys){ 0, 2 }, 2, w);
    ck_assert(w[0] == 0.5f && w[1] == 0.5f);
}

/* Numbers beyond the permitted keys do not count, also where the row is padded to whole vectors. */
TEST(nothing_beyond_the_permitted_keys_counts)
{
    enum { ROOM = 40 };
    hl_real x[ROOM], w[ROOM];
    for (int n = 1; n < ROOM; n++) {
        for (int j = 0; j < ROOM; j++) {
            x[j] = j < n ? -5 : 100;
        }
        hl_masked_softmax(x, NULL, (hl_keys){ 0, n }, ROOM, w);
        for (int j = 0; j < ROOM; j++) {
            ck_assert_double_eq_tol((double)w[j], j < n ? 1.0 / n : 0, 1e-7);
        }
    }
}

TEST(a_row_without_a_key_is_zero_and_nan_is_not_hidden)
{
    const hl_real x[2] = { 1, 2 }, never[2] = { -INFINITY, -INFINITY }, bad[2] = { NAN, 1 };
    hl_real w[2] = { 7, 7 };
    hl_masked_softmax(x, NULL, (hl_keys){ 0, 0 }, 2, w);
    ck_assert(w[0] == 0 && w[1] == 0);
    w[0] = w[1] = 7;
    hl_masked_softmax(x, never, (hl_keys){ 0, 2 }, 2, w);
    ck_assert(w[0] == 0 && w[1] == 0);
    hl_masked_softmax(bad, NULL, (hl_keys){ 0, 2 }, 2, w);
    ck_assert(isnan(w[0]));
    const hl_real overflowed[] = { -INFINITY, -INFINITY };
    hl_masked_softmax(overflowed, NULL, (hl_keys){ 0, 2 }, 2, w); /* scores, of keys that are permitted */
    ck_assert(isnan(w[0]) && isnan(w[1]));
    hl_masked_softmax(bad, never, (hl_keys){ 0, 2 }, 2, w);
    ck_assert(isnan(w[0]));
}

/* Short rows are whole vectors; what stands behind their keys does not count. */
TEST(rows_at_once_have_the_bits_of_rows_one_by_one)
{
    enum { ROWS = 19, LONGEST = 32 };
    for (int i = 0; i < 2 * LONGEST; i++) {
        hl_mask mask = { .causal = i % 2 == 1 };
        int64_t n = 1 + i / 2, stride = n <= 16 ? 16 : LONGEST;
        hl_real together[ROWS * LONGEST] = { 0 }, alone[LONGEST];
        hl_random random = { .seed = 11, .step = (uint32_t)i };
        for (int j = 0; j < ROWS * stride; j++) {
            together[j] = j % stride < n ? 3 * hl_random_normal(random, (uint64_t)j) : (hl_real)NAN;
        }
        together[7 * stride] = i % 3 == 0 ? (hl_real)NAN : -INFINITY;
        for (int j = 0; j < n; j++) {
            together[11 * stride + j] = i % 5 == 0 ? -INFINITY : 1;
        }
        hl_real x[ROWS * LONGEST];
        memcpy(x, together, sizeof x);
        hl_masked_softmax_rows(&mask, 0, 0, 0, ROWS, 0, n, stride, together);
        for (int row = 0; row < ROWS; row++) {
            hl_masked_softmax(x + row * stride, NULL, hl_mask_row_keys(&mask, row, n), stride, alone);
            for (int64_t j = 0; j < stride; j++) {
                hl_real w = together[row * stride + j];
                if (!(w == alone[j] || (isnan(w) && isnan(alone[j])))) {
                    ck_abort_msg("row %d of %d keys: weight %d", row, (int)n, (int)j);
                }
            }
        }
    }
}

SUITE("mask")
