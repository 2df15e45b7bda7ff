/* Rotary positions against complex numbers: a pair is x + iy, and rotating it multiplies it by e^(ia). */
#include "core/ops/rotate.h"

#include "tests/check_suite.h"
#include "tests/owned.h"

#include <complex.h>
#include <math.h>

enum { T = 7, H = 2, DK = 5, W = 13, N_ANGLES = DK / 2 };

static const double theta = 100;
static const int32_t positions[] = { 0, 1, 2, 6, 3 };
enum { N = ROWS(positions) };

static hl_real table[T * 2 * N_ANGLES], numbers[N * W];

static const hl_tensor *rotated(hl_tape *tape, hl_arena *arena)
{
    for (int i = 0; i < N * W; i++) {
        numbers[i] = (hl_real)sin(1.7 * i + 0.3);
    }
    hl_rotate_table(T, DK, theta, table);
    ck_assert_int_eq(hl_arena_init(arena, 1 << 16).code, HL_OK);
    hl_tape_begin(tape, arena, (hl_tape_options){ 0 });
    const hl_tensor *y = hl_rotate(tape, (hl_rotate_args){ .x = hl_tape_tensor(tape, HL_SHAPE(N, W), numbers, false),
                                                           .n_heads = H,
                                                           .width = DK,
                                                           .table = table,
                                                           .n_positions = T,
                                                           .positions = positions,
                                                           .longest = T });
    ck_assert_ptr_nonnull(y);
    return y;
}

TEST(pairs_are_multiplied_by_a_complex_number)
{
    hl_tape tape;
    hl_arena arena;
    const hl_tensor *y = rotated(&tape, &arena);
    for (int n = 0; n < N; n++) {
        for (int h = 0; h < H; h++) {
            const hl_real *from = numbers + n * W + h * DK, *to = y->data + n * W + h * DK;
            for (int i = 0; i < N_ANGLES; i++) {
                double complex turn = cexp(I * positions[n] / pow(theta, 2.0 * i / DK));
                double complex z = ((double)from[i] + I * (double)from[i + N_ANGLES]) * turn;
                ck_assert_double_eq_tol((double)to[i], creal(z), 1e-12);
                ck_assert_double_eq_tol((double)to[i + N_ANGLES], cimag(z), 1e-12);
            }
            ck_assert(to[DK - 1] == from[DK - 1]); /* the odd one */
        }
        for (int i = H * DK; i < W; i++) {
            ck_assert(y->data[n * W + i] == numbers[n * W + i]);
        }
    }
    hl_arena_free(&arena);
}

/* The product of q at position p + s with k at position p is the same for every p. */
TEST(products_depend_on_the_distance_alone)
{
    hl_real both[2][DK];
    int32_t places[2];
    for (int distance = 0; distance < 3; distance++) {
        double first = 0;
        for (int p = 0; p + distance < T; p++) {
            for (int i = 0; i < DK; i++) {
                both[0][i] = (hl_real)cos(i + 1);
                both[1][i] = (hl_real)sin(3 * i + 2);
            }
            places[0] = p;
            places[1] = p + distance;
            hl_rotate_table(T, DK, theta, table);
            hl_tape *tape = owned_tape(1 << 16, (hl_tape_options){ 0 });
            const hl_tensor *y =
                hl_rotate(tape, (hl_rotate_args){ .x = hl_tape_tensor(tape, HL_SHAPE(2, DK), both[0], false),
                                                  .n_heads = 1,
                                                  .width = DK,
                                                  .table = table,
                                                  .n_positions = T,
                                                  .positions = places,
                                                  .longest = T });
            ck_assert_ptr_nonnull(y);
            double product = 0;
            for (int i = 0; i < DK; i++) {
                product += (double)y->data[i] * (double)y->data[DK + i];
            }
            first = p == 0 ? product : first;
            ck_assert_double_eq_tol(product, first, 1e-12);
        }
    }
}

SUITE("rotary positions")
