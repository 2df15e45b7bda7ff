/* What is bf16 alone in linear maps: rounding, what is not finite, refusal, and kernels that are not generated. */
#include "core/kernels/bf16.h"
#include "core/kernels/private/panel_pack.h"
#include "core/kernels/random.h"
#include "core/kernels/small_matmul.h"
#include "tests/check_suite.h"
#include "tests/core/linear_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What these tests need, the machine may lack: then the op refuses, which is looked at instead. */
static bool here(void)
{
    return hl_bf16_missing() == NULL;
}

/* y of one product 1 x. */
static hl_real rounded(hl_real x)
{
    numbers n = numbers_make((map){ 1, 1, 1 });
    n.at[X][0] = x;
    n.at[W][0] = 1;
    numbers_run(&n, (call){ .threads = 1, .bf16 = true });
    hl_real y = n.at[Y][0];
    numbers_free(&n);
    return y;
}

TEST(factors_are_rounded_to_the_nearest_and_ties_to_even)
{
    if (!here()) {
        return;
    }
    static const struct {
        hl_real x, y;
    } rows[] = {
        { 1.0F + 0x1p-8F, 1.0F }, /* halfway, the lower is even */
        { 1.0F + 0x1p-8F + 0x1p-20F, 1.0F + 0x1p-7F },
        { 1.0F + 3 * 0x1p-8F, 1.0F + 0x1p-6F }, /* halfway, the upper is even */
        { 1.0F + 3 * 0x1p-8F - 0x1p-20F, 1.0F + 0x1p-7F },
        { -(1.0F + 0x1p-8F), -1.0F },
        { 0x1.fep127F, 0x1.fep127F }, /* the largest */
        { 0x1.fefffep127F, 0x1.fep127F },
        { 0x1.ffp127F, INFINITY },
        { FLT_MAX, INFINITY },
        { -FLT_MAX, -INFINITY },
        { FLT_MIN, FLT_MIN },
        { FLT_MIN / 2, 0 }, /* taken for 0 */
        { -0x1p-149F, 0 },
    };
    for (int i = 0; i < ROWS(rows); i++) {
        ck_assert_msg(rounded(rows[i].x) == rows[i].y, "%a becomes %a", (double)rows[i].x, (double)rounded(rows[i].x));
    }
    ck_assert(isnan(rounded(NAN)));
}

/* One number of an input, the last of an odd number too, is infinite or none: so is all that is made of it. */
TEST(what_is_not_finite_stays_so)
{
    if (!here()) {
        return;
    }
    static const hl_real values[] = { INFINITY, -INFINITY, NAN };
    map of = { 65, 67, 33 };
    for (int input = X; input <= DY; input++) {
        for (int v = 0; v < 3 * 2; v++) {
            numbers n = numbers_make(of);
            for (int i = 0; i < INPUTS; i++) {
                for (int64_t j = 0; j < n.count[i]; j++) {
                    n.at[i][j] = 1;
                }
            }
            n.at[input][v % 2 == 0 ? 0 : n.count[input] - 1] = values[v / 2];
            numbers_run(&n, (call){ .threads = 2, .bf16 = true });
            int64_t row = v % 2 == 0 ? 0 : of.N - 1, o = v % 2 == 0 ? 0 : of.O - 1, i = v % 2 == 0 ? 0 : of.I - 1;
            bool of_y = input != DY, of_dx = input == W || input == DY, of_dW = input == X || input == DY;
            ck_assert(isfinite(n.at[Y][row * of.O + o]) == !of_y);
            ck_assert(isfinite(n.at[DX][row * of.I + i]) == !of_dx);
            ck_assert(isfinite(n.at[DW][o * of.I + i]) == !of_dW);
            ck_assert(isfinite(n.at[Y][(row + 1) % of.N * of.O + (o + 1) % of.O]));
            numbers_free(&n);
        }
    }
}

TEST(without_the_instruction_the_op_says_so)
{
    if (here()) {
        return;
    }
    numbers n = numbers_make((map){ 2, 3, 4 });
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, 1 << 20));
    hl_status status = numbers_pass(&n, (call){ .threads = 1, .bf16 = true }, NULL, &arena);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, hl_bf16_missing()));
    hl_arena_free(&arena);
    numbers_free(&n);
}

static void put(uint16_t *bf16, hl_real x)
{
    float number = x;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    *bf16 = (uint16_t)(bits >> 16);
}

/* LIBXSMM declines a shape for want of memory for its code. Small integers, whose sums are exact. */
LOOP_TEST(a_product_is_the_same_where_its_kernel_is_declined, 0, 4)
{
    enum { N = 3, K = 10, M = 7, A_STRIDE = 12, C_STRIDE = 9 };
    hl_small_matmul shape = {
        .M = N, .N = M, .K = K, .a_stride = A_STRIDE, .b_stride = HL_PANEL, .c_stride = C_STRIDE, .bf16 = true
    };
    uint16_t rows[N * A_STRIDE] = { 0 }, panel[K * HL_PANEL] = { 0 };
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < N; i++) {
            put(&rows[i * A_STRIDE + k], (hl_real)(i + 1) * (hl_real)(k - 3));
        }
        for (int j = 0; j < M; j++) {
            put(&panel[(k / 2 * HL_PANEL + j) * 2 + k % 2], (hl_real)(5 - j) * (hl_real)(k + 1));
        }
    }
    shape.add = _i % 2 == 1;
    hl_small_kernel kernel =
        _i / 2 == 1 && here() ? hl_small_matmul_kernel(shape) : (hl_small_kernel){ .shape = shape };
    hl_real C[N * C_STRIDE];
    for (int i = 0; i < N * C_STRIDE; i++) {
        C[i] = 1;
    }
    hl_small_kernel_run(&kernel, rows, panel, C);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < C_STRIDE; j++) { /* the sum of (k - 3)(k + 1) over k < 10 is 165 */
            int sum = 165 * (i + 1) * (5 - j) + (shape.add ? 1 : 0);
            ck_assert_double_eq((double)C[i * C_STRIDE + j], j < M ? (double)sum : 1);
        }
    }
}

SUITE("bf16")
