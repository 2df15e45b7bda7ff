#include "core/kernels/matmul.h"

#include "core/base/threads.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/owned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 1 << 20 };

static const hl_random source = { .seed = 11, .stream = 12 };
static hl_real *a, *b, *c, *other, *scratch;

/* Memory for factors and products, the factors filled with numbers in [-1, 1). */
static void setup(void)
{
    hl_threads_setup();
    hl_real **all[] = { &a, &b, &c, &other, &scratch };
    for (int i = 0; i < 5; i++) {
        *all[i] = owned_calloc(MAX_NUMBERS, sizeof(hl_real));
    }
    for (int64_t i = 0; i < MAX_NUMBERS; i++) {
        a[i] = 2 * hl_random_uniform(source, (uint64_t)i) - 1;
        b[i] = 2 * hl_random_uniform(source, (uint64_t)(MAX_NUMBERS + i)) - 1;
    }
}

/* A dense factor (rows, columns), kept transposed if asked. */
static hl_matrix dense(const hl_real *data, int64_t rows, int64_t columns, bool transposed)
{
    return (hl_matrix){ data, transposed ? rows : columns, transposed };
}

static double element(hl_matrix x, int64_t row, int64_t column)
{
    return (double)x.data[x.transposed ? column * x.stride + row : row * x.stride + column];
}

/* Compares C (M, N) with A B + beta * before, summed one by one in double. */
static void check_product(int64_t M, int64_t N, int64_t K, hl_matrix A, hl_matrix B, double beta, double before,
                          const hl_real *C, int64_t c_stride)
{
    for (int64_t m = 0; m < M; m++) {
        for (int64_t n = 0; n < N; n++) {
            double sum = 0, magnitude = 1;
            for (int64_t k = 0; k < K; k++) {
                double term = element(A, m, k) * element(B, k, n);
                sum += term;
                magnitude += fabs(term);
            }
            double wanted = sum + (beta != 0 ? before : 0), error = fabs((double)C[m * c_stride + n] - wanted);
            if (!(error <= 1e-6 * magnitude)) { /* a passing assertion writes to Check's pipe, which takes time */
                ck_abort_msg("(%d, %d) x (%d, %d), %d %d, beta %g: element (%d, %d) is %g, not %g", (int)M, (int)K,
                             (int)K, (int)N, A.transposed, B.transposed, beta, (int)m, (int)n,
                             (double)C[m * c_stride + n], wanted);
            }
        }
    }
}

static void fill(hl_real *x, int64_t count, hl_real value)
{
    for (int64_t i = 0; i < count; i++) {
        x[i] = value;
    }
}

/* One product, all kinds of calls: C lies in rows that are 3 numbers wider, which must stay as they are. */
static void check_shape(int64_t M, int64_t N, int64_t K, int kind)
{
    bool transpose_A = kind & 1, transpose_B = kind & 2, add = kind & 4;
    hl_matrix A = dense(a, M, K, transpose_A), B = dense(b, K, N, transpose_B);
    A.stride += kind % 3 + 1; /* padded factors too; a stride of 0 would be refused */
    B.stride += kind % 2 + 1;
    int64_t stride = N + 3;
    hl_real before = add ? 0.5f : NAN; /* with beta 0, C is not read */
    for (int serial = 0; serial < 2; serial++) {
        fill(c, M * stride, before);
        if (serial) {
            hl_matmul_serial(M, N, K, A, B, add, c, stride);
        } else {
            hl_matmul_into(2, M, N, K, A, B, add, c, stride);
        }
        check_product(M, N, K, A, B, add, 0.5, c, stride);
        for (int64_t m = 0; m < M; m++) {
            ck_assert(memcmp(c + m * stride + N, &(hl_real[]){ before, before, before }, 3 * sizeof *c) == 0);
        }
    }
}

LOOP_TEST(products_are_those_of_the_naive_loop, 0, 8)
{
    static const int64_t sizes[] = { 0, 1, 2, 3, 7, 16, 33, 65 };
    enum { N_SIZES = ROWS(sizes) };
    for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++) {
        check_shape(sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES], _i);
    }
    check_shape(301, 67, 101, _i); /* more than a million: cut in two */
}

static int64_t below(uint64_t *position, int64_t bound)
{
    return hl_random_below((hl_random){ .seed = 13 }, (*position)++, (uint32_t)bound);
}

static void assert_same_bits(const hl_real *x, const hl_real *y, int64_t count, const char *what, const int64_t size[3],
                             int kind)
{
    if (memcmp(x, y, (size_t)count * sizeof *x) == 0) {
        return;
    }
    int64_t i = 0;
    while (i < count && memcmp(&x[i], &y[i], sizeof *x) == 0) {
        i++;
    }
    ck_abort_msg("%s: (%d, %d, %d) of kind %d differ at %d of %d: %.9g and %.9g", what, (int)size[0], (int)size[1],
                 (int)size[2], kind, (int)i, (int)count, (double)x[i], (double)y[i]);
}

/* A shape whose product is worth cutting, or just too small for it. */
static void draw_shape(uint64_t *position, int64_t size[3])
{
    size[1] = 1 + below(position, 200);
    size[2] = 1 + below(position, 200);
    int64_t area = size[1] * size[2], bound = (1000000 + area) / area; /* so many rows exceed a million */
    int64_t most = MAX_NUMBERS / (size[1] > size[2] ? size[1] : size[2]);
    int64_t rows = below(position, 2) ? 48 * below(position, 24) + bound + below(position, 3) - 1
                                      : 1 + below(position, 4 * bound + 200);
    size[0] = rows < 1 ? 1 : rows > most ? most : rows;
}

TEST(the_bits_do_not_depend_on_the_thread_count)
{
    uint64_t position = 0;
    for (int round = 0; round < 120; round++) { /* each of the six calls, cut and not, ten times */
        int64_t size[3];
        draw_shape(&position, size);
        int kind = round % 3; /* NN, TN, NT: those that the ops use */
        hl_matrix A = dense(a, size[0], size[2], kind == 1), B = dense(b, size[2], size[1], kind == 2);
        int64_t count = size[0] * size[1];
        hl_real beta = (hl_real)(round / 3 % 2);
        fill(c, count, 0.5f);
        hl_matmul_into(1, size[0], size[1], size[2], A, B, beta, c, size[1]);
        for (int threads = 2; threads <= 4; threads++) {
            fill(other, count, 0.5f);
            hl_matmul_into(threads, size[0], size[1], size[2], A, B, beta, other, size[1]);
            assert_same_bits(c, other, count, "threads", size, kind);
        }
    }
}

/* The property of OpenBLAS that cuts rely on, at any multiple of 48 and not only where the library cuts. */
TEST(openblas_gives_the_same_rows_wherever_they_are_cut)
{
    uint64_t position = 1000000;
    int cuts = 0;
    for (int round = 0; cuts < 2000; round++) {
        int64_t size[3];
        draw_shape(&position, size);
        int64_t cut = size[0] > 48 ? 48 * (1 + below(&position, (size[0] - 1) / 48)) : size[0];
        int64_t area = size[1] * size[2];
        if (cut >= size[0] || cut * area <= 1000000 || (size[0] - cut) * area <= 1000000) {
            continue;
        }
        int kind = cuts++ % 3;
        hl_matrix A = dense(a, size[0], size[2], kind == 1), B = dense(b, size[2], size[1], kind == 2);
        hl_matmul_serial(size[0], size[1], size[2], A, B, 0, c, size[1]);
        hl_matmul_serial(cut, size[1], size[2], A, B, 0, other, size[1]);
        hl_matrix rest = A;
        rest.data += cut * (A.transposed ? 1 : A.stride);
        hl_matmul_serial(size[0] - cut, size[1], size[2], rest, B, 0, other + cut * size[1], size[1]);
        assert_same_bits(c, other, size[0] * size[1], "cut", size, kind);
    }
}

/* C (M, N) = A^T B over K rows, in every way it may be cut. */
static void check_rows_into(int64_t M, int64_t N, int64_t K, hl_real beta)
{
    int64_t size[3] = { M, N, K };
    ck_assert_int_le(hl_matmul_rows_scratch(M, N, K), MAX_NUMBERS);
    for (int threads = 1; threads <= 4; threads++) {
        hl_real *C = threads == 1 ? c : other;
        fill(C, M * N, beta != 0 ? 0.5f : NAN);
        fill(scratch, hl_matmul_rows_scratch(M, N, K), NAN);
        hl_matmul_rows_into(threads, M, N, K, a, b, beta, C, scratch);
        if (threads > 1) {
            assert_same_bits(c, other, M * N, "rows", size, (int)beta);
        }
    }
    check_product(M, N, K, dense(a, M, K, true), dense(b, K, N, false), (double)beta, 0.5, c, N);
}

TEST(gradients_of_weights_are_summed_the_same_way_at_any_thread_count)
{
    static const int64_t shapes[][3] = {
        { 1, 1, 1 },      { 3, 5, 7 },      { 1, 1, 511 },     { 1, 1, 512 },     { 3, 2, 4096 },    { 17, 19, 1025 },
        { 64, 64, 2048 }, { 64, 64, 2047 }, { 128, 128, 600 }, { 129, 128, 600 }, { 161, 130, 600 }, { 96, 300, 1100 },
        { 0, 3, 600 },    { 3, 0, 600 },    { 3, 4, 0 },       { 5, 7, 5000 },
    };
    for (int i = 0; i < ROWS(shapes); i++) {
        check_rows_into(shapes[i][0], shapes[i][1], shapes[i][2], 0);
        check_rows_into(shapes[i][0], shapes[i][1], shapes[i][2], 1);
    }
    uint64_t position = 2000000;
    for (int round = 0; round < 20; round++) { /* sizes between the edges above */
        int64_t M = 1 + below(&position, 180), N = 1 + below(&position, 180);
        int64_t most = MAX_NUMBERS / (M > N ? M : N);
        int64_t K = 1 + below(&position, most < 2000 ? most : 2000);
        check_rows_into(M, N, K, (hl_real)(round % 2));
    }
}

TEST(scratch_is_asked_for_where_rows_are_cut)
{
    ck_assert_int_eq(hl_matmul_rows_scratch(64, 64, 511), 0);
    ck_assert_int_eq(hl_matmul_rows_scratch(64, 64, 512), 2 * 64 * 64);
    ck_assert_int_eq(hl_matmul_rows_scratch(64, 64, 1 << 20), 16 * 64 * 64);
    ck_assert_int_eq(hl_matmul_rows_scratch(129, 128, 1 << 20), 0);
}

SUITE("matmul", .before = setup)
