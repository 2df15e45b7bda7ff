#include "core/kernels/private/reduce.h"

#include "core/base/threads.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"

#include <math.h>
#include <string.h>

enum { COUNT = 300000, SCRATCH = 16 * 600 };

static hl_real x[COUNT], sum[600], other[600], scratch[SCRATCH];

static void setup(void)
{
    hl_threads_setup();
    hl_random source = { .seed = 31, .stream = 32 };
    for (int i = 0; i < COUNT; i++) {
        x[i] = hl_random_uniform(source, (uint64_t)i) - 0.25f;
    }
}

/* Column sums against sums in double, and the same bits at any thread count. */
static void check_columns(int64_t rows, int64_t columns, bool add)
{
    ck_assert_int_le(hl_sum_rows_scratch(rows, columns), SCRATCH);
    for (int threads = 1; threads <= 4; threads++) {
        hl_real *into = threads == 1 ? sum : other;
        for (int64_t d = 0; d < columns; d++) {
            into[d] = add ? (hl_real)d : (hl_real)NAN;
        }
        for (int i = 0; i < SCRATCH; i++) {
            scratch[i] = NAN;
        }
        hl_sum_rows(threads, rows, columns, x, add, into, scratch);
        if (threads > 1) {
            ck_assert_mem_eq(sum, other, (size_t)columns * sizeof *sum);
        }
    }
    for (int64_t d = 0; d < columns; d++) {
        double wanted = add ? (double)d : 0, magnitude = fabs(wanted) + 1;
        for (int64_t n = 0; n < rows; n++) {
            wanted += (double)x[n * columns + d];
            magnitude += fabs((double)x[n * columns + d]);
        }
        ck_assert_double_eq_tol((double)sum[d], wanted, 1e-6 * magnitude);
    }
}

TEST(column_sums_are_right_at_any_thread_count)
{
    static const int64_t shapes[][2] = {
        { 1, 1 },   { 1, 600 },  { 63, 3 },    { 64, 3 },   { 127, 5 },   { 128, 5 },    { 129, 5 },
        { 500, 7 }, { 1000, 1 }, { 1025, 31 }, { 997, 97 }, { 500, 600 }, { 100000, 3 }, { 0, 4 },
    };
    for (int i = 0; i < ROWS(shapes); i++) {
        check_columns(shapes[i][0], shapes[i][1], false);
        check_columns(shapes[i][0], shapes[i][1], true);
    }
}

TEST(blocks_depend_on_the_rows_alone)
{
    ck_assert_int_eq(hl_sum_blocks(0), 1);
    ck_assert_int_eq(hl_sum_blocks(127), 1);
    ck_assert_int_eq(hl_sum_blocks(128), 2);
    ck_assert_int_eq(hl_sum_blocks(1 << 20), 16);
    ck_assert_int_eq(hl_sum_rows_scratch(128, 5), 10);
}

TEST(partial_sums_are_added_in_order)
{
    /* Added in order, 1e8 and -1e8 cancel before the ones are added; in another order the ones are lost. */
    const hl_real partial[] = { 1e8f, 2, -1e8f, 3, 1, 4 };
    hl_real total[2] = { 10, 20 };
    hl_sum_partials(1, 3, 2, partial, false, total);
    ck_assert(total[0] == 1 && total[1] == 9);
    hl_sum_partials(1, 3, 2, partial, true, total);
    ck_assert(total[0] == 2 && total[1] == 18);
}

TEST(everything_is_summed_in_double)
{
    static const int64_t counts[] = { 0, 1, 7, 8, 9, 4095, 4096, 4097, 262143, 262145, COUNT };
    ck_assert(hl_sum_all((hl_real[]){ 1e8f, 1, -1e8f }, 3) == 1);
    for (int i = 0; i < ROWS(counts); i++) {
        double plain = 0, squares = 0;
        for (int64_t k = 0; k < counts[i]; k++) {
            plain += (double)x[k];
            squares += (double)x[k] * (double)x[k];
        }
        ck_assert_double_eq_tol(hl_sum_all(x, counts[i]), plain, 1e-12 * (double)(counts[i] + 1));
        double one = hl_sum_squares(1, x, counts[i]);
        ck_assert_double_eq_tol(one, squares, 1e-12 * (double)(counts[i] + 1));
        for (int threads = 2; threads <= 4; threads++) {
            double many = hl_sum_squares(threads, x, counts[i]);
            ck_assert_mem_eq(&one, &many, sizeof one);
        }
    }
}

TEST(squares_do_not_overflow_float_and_nan_is_not_lost)
{
    hl_real large[] = { 3e38f, 3e38f };
    ck_assert_double_eq_tol(hl_sum_squares(1, large, 2) / 1.8e77, 1, 1e-6);
    hl_real before = x[COUNT - 1];
    x[COUNT - 1] = NAN;
    ck_assert(isnan(hl_sum_squares(2, x, COUNT)));
    ck_assert(isnan(hl_sum_all(x, COUNT)));
    x[COUNT - 1] = before;
}

SUITE("reduce", .before = setup)
