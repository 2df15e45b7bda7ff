#include "core/kernels/bf16.h"
#include "core/kernels/random.h"
#include "core/kernels/small_matmul.h"
#include "tests/check_suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, STRIDE = MOST + 5, SIZE = MOST * STRIDE };

/* One random product, with strides wider than the matrices, against sums in double; numbers between rows stay.
 * Twenty shapes for each of the four calls: remainders of the widest vectors come up several times. */
LOOP_TEST(products_agree_with_plain_sums, 0, 80)
{
    static hl_real A[SIZE], B[SIZE], C[SIZE], before[SIZE];
    hl_random random = { .seed = 3, .step = (uint32_t)_i };
    hl_small_matmul s = { .M = hl_random_below(random, 0, MOST + 1),
                          .N = hl_random_below(random, 1, MOST + 1),
                          .K = hl_random_below(random, 2, MOST + 1),
                          .transposed = _i % 2 == 1,
                          .add = _i / 2 % 2 == 1 };
    s.a_stride = MOST + hl_random_below(random, 3, 6);
    s.b_stride = MOST + hl_random_below(random, 4, 6);
    s.c_stride = MOST + hl_random_below(random, 5, 6);
    for (int i = 0; i < SIZE; i++) {
        A[i] = hl_random_normal(random, 1000 + (uint64_t)i);
        B[i] = hl_random_normal(random, 10000 + (uint64_t)i);
        C[i] = before[i] = hl_random_normal(random, 20000 + (uint64_t)i);
    }
    hl_small_matmul_run(s, A, B, C);
    for (int64_t m = 0; m < MOST; m++) {
        for (int64_t n = 0; n < s.c_stride; n++) {
            int64_t at = m * s.c_stride + n;
            double sum = !s.add && m < s.M && n < s.N ? 0 : (double)before[at], size = fabs(sum);
            for (int64_t k = 0; m < s.M && n < s.N && k < s.K; k++) {
                double a = (double)(s.transposed ? A[k * s.a_stride + m] : A[m * s.a_stride + k]);
                sum += a * (double)B[k * s.b_stride + n];
                size += fabs(a * (double)B[k * s.b_stride + n]);
            }
            if (!(fabs((double)C[at] - sum) <=
                  1e-6 * size)) { /* a passing assertion writes to Check's pipe, which takes time */
                ck_abort_msg("element (%d, %d) is %g, not %g", (int)m, (int)n, (double)C[at], sum);
            }
        }
    }
}

LOOP_TEST(a_transpose_has_every_number_in_its_place_and_ends_in_zeros, 0, 7 * 12)
{
    static hl_real x[SIZE], y[SIZE];
    int64_t n = _i / 7 * 3, width = _i % 7 * 3 + _i % 2, x_stride = MOST + _i % 5, y_stride = n + _i % 4;
    for (int i = 0; i < SIZE; i++) {
        x[i] = (hl_real)(i + 1);
        y[i] = -1;
    }
    hl_transpose(n, width, 2, x, x_stride, y, y_stride);
    for (int64_t d = 0; d < width; d++) {
        for (int64_t i = 0; i < y_stride; i++) {
            if (y[d * y_stride + i] != (i < n ? 2 * x[i * x_stride + d] : 0)) {
                ck_abort_msg("(%d, %d) of (%d, %d)", (int)d, (int)i, (int)width, (int)n);
            }
        }
    }
    ck_assert(y[width * y_stride] == -1);
}

/* A process that is started later would be bound to one core, or not bound as the user has asked. */
LOOP_TEST(its_start_leaves_the_environment, 0, 2)
{
    const char *asked = _i == 1 ? "false" : NULL;
    ck_assert_int_eq(asked != NULL ? setenv("OMP_PROC_BIND", asked, 1) : unsetenv("OMP_PROC_BIND"), 0);
    hl_small_matmul_target();
    hl_bf16_missing();
    ck_assert(hl_small_matmul_prepare().code == HL_OK);
    ck_assert_pstr_eq(getenv("OMP_PROC_BIND"), asked);
}

SUITE("small matmul")
