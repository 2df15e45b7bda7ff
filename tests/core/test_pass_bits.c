#include "core/kernels/private/pass_bits.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"

#include <math.h>
#include <string.h>

enum { N = 3 * HL_PASS_GROUP + 37 };

static hl_real x[N], m[N], r[N], y[N + 1], dx[N + 1];
static uint8_t bits[4 * HL_PASS_BYTES + 1];

/* Numbers of both signs, some of them 0; two thirds of the factors 1.5, the others 0. */
static void fill(void)
{
    const hl_random random = { .seed = 8 };
    for (int i = 0; i < N; i++) {
        x[i] = i % 11 == 0 ? 0 : hl_random_normal(random, (uint64_t)i);
        r[i] = hl_random_normal(random, N + (uint64_t)i);
        m[i] = hl_random_below(random, 2 * N + (uint64_t)i, 3) == 0 ? 0 : 1.5f;
    }
}

/* All groups of the first `count` numbers, forward. */
static void forward(int count, hl_real floor, const hl_real *residual)
{
    for (int i = 0; i < count; i += HL_PASS_GROUP) {
        int n = count - i < HL_PASS_GROUP ? count - i : HL_PASS_GROUP;
        hl_pass_forward(n, x + i, floor, m + i, residual != NULL ? residual + i : NULL, y + i,
                        bits + i / HL_PASS_GROUP * HL_PASS_BYTES);
    }
}

TEST(a_group_takes_sixteen_bytes)
{
    ck_assert_int_eq(hl_pass_bytes(0), 0);
    ck_assert_int_eq(hl_pass_bytes(1), HL_PASS_BYTES);
    ck_assert_int_eq(hl_pass_bytes(HL_PASS_GROUP), HL_PASS_BYTES);
    ck_assert_int_eq(hl_pass_bytes(N), 4 * HL_PASS_BYTES);
}

TEST(every_number_comes_out_by_the_formula)
{
    fill();
    forward(N, 0, r);
    for (int i = 0; i < N; i++) {
        ck_assert_float_eq_tol((float)y[i], (float)(r[i] + fmax(x[i], 0) * m[i]), 1e-6);
    }
    forward(N, -INFINITY, NULL);
    for (int i = 0; i < N; i++) {
        ck_assert(y[i] == x[i] * m[i]);
    }
}

/* The bits say what passed, for every count: what lies beyond it is not written. */
TEST(gradients_take_the_same_way)
{
    fill();
    for (int count = 1; count < N; count += 7) {
        bits[hl_pass_bytes(count)] = 77;
        y[count] = 77;
        forward(count, 0, r);
        ck_assert_int_eq(bits[hl_pass_bytes(count)], 77);
        ck_assert(y[count] == 77);
        dx[count] = 77;
        for (int add = 0; add < 2; add++) {
            hl_pass_backward(count, bits, 1.5f, r, dx, add == 1);
            for (int i = 0; i < count; i++) {
                hl_real passed = x[i] > 0 && m[i] > 0 ? r[i] * 1.5f : 0;
                if (!(fabs((double)(dx[i] - (add == 1 ? 2 : 1) * passed)) <= 1e-6)) {
                    ck_abort_msg("number %d of %d is %g", i, count, (double)dx[i]);
                }
            }
        }
        ck_assert(dx[count] == 77);
    }
}

TEST(nothing_is_hidden_where_a_factor_is_0)
{
    hl_real bad[2] = { NAN, NAN }, none[2] = { 0, 0 }, out[2];
    hl_pass_forward(2, bad, 0, none, NULL, out, NULL);
    ck_assert(isnan(out[0]) && isnan(out[1]));
}

SUITE("pass bits")
