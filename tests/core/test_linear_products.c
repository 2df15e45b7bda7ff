/* The products of linear maps, in float and in bf16: of small integers, under a bound, and their bits. */
#include "core/base/threads.h"
#include "core/kernels/bf16.h"
#include "core/kernels/random.h"
#include "core/kernels/small_matmul.h"
#include "tests/check_suite.h"
#include "tests/core/linear_numbers.h"

#include <math.h>
#include <string.h>

#ifdef HL_LIBXSMM
#include <libxsmm.h>
#endif

/* Every test runs in float and in bf16, which the machine may lack. */
static bool lacks(bool bf16)
{
    return bf16 && hl_bf16_missing() != NULL;
}

static const map maps[] = {
    { 1, 1, 1 },       { 2, 3, 1 },      { 3, 5, 7 },       { 7, 2, 64 },      { 63, 65, 15 },
    { 64, 64, 64 },    { 65, 33, 17 },   { 130, 97, 65 },   { 517, 3, 2 },     { 96, 128, 127 },
    { 512, 40, 130 },  { 777, 129, 63 }, { 33, 1, 2049 },   { 9, 2050, 3 },    { 5, 70, 4100 },
    { 70, 1300, 600 }, { 66, 528, 530 }, { 70, 520, 1034 }, { 530, 600, 128 },
};

/* Sum over k of a[k a_step] b[k b_step], its terms' magnitudes in *size. */
static double exact(int64_t K, const hl_real *a, int64_t a_step, const hl_real *b, int64_t b_step, double *size)
{
    double sum = 0;
    for (int64_t k = 0; k < K; k++) {
        double term = (double)a[k * a_step] * (double)b[k * b_step];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

/* How far sums may be off: not at all, or as core/kernels/bf16.h says of bf16, or of float alone. */
typedef enum allowance { NOTHING, OF_FLOAT, OF_BF16 } allowance;

/* `before` is what the products are added to. */
static void compare(const char *name, int64_t at, double value, double sum, double size, int64_t K, double before,
                    allowance allowed)
{
    double n = (double)K, rounding = allowed == OF_BF16 ? ldexp(1, -7) + ldexp(1, -16) : 0;
    double bound = rounding * size + n * ldexp(1, -23) * (size + fabs(before)) + n * ldexp(1, -126);
    bound = allowed == NOTHING ? 0 : bound;
    if (!(fabs(value - (sum + before)) <= bound)) {
        ck_abort_msg("%s[%lld] is %.9g, not %.9g: off by %.3g, allowed %.3g", name, (long long)at, value, sum + before,
                     fabs(value - sum - before), bound);
    }
}

/* Each result, or of a large map one of several, against its sum of products in double. */
static void expect(const numbers *n, allowance allowed)
{
    int64_t N = n->of.N, O = n->of.O, I = n->of.I, step = 1 + N * O * I / (1 << 22);
    for (int64_t j = 0; j < N * O; j += step) {
        double size = 0, sum = exact(I, n->at[X] + j / O * I, 1, n->at[W] + j % O * I, 1, &size);
        compare("y", j, (double)n->at[Y][j], sum, size, I, (double)n->at[B][j % O], allowed);
    }
    for (int64_t j = 0; j < N * I; j += step) {
        double size = 0, sum = exact(O, n->at[DY] + j / I * O, 1, n->at[W] + j % I, I, &size);
        compare("dx", j, (double)n->at[DX][j], sum, size, O, 0, allowed);
    }
    for (int64_t j = 0; j < O * I; j += step) {
        double size = 0, sum = exact(N, n->at[DY] + j / I, O, n->at[X] + j % I, I, &size);
        compare("dW", j, (double)n->at[DW][j], sum, size, N, 0, allowed);
    }
    for (int64_t j = 0; j < O; j++) {
        const hl_real one = 1;
        double size = 0, sum = exact(N, n->at[DY] + j, O, &one, 0, &size);
        compare("db", j, (double)n->at[DB][j], sum, size, N, 0, allowed == NOTHING ? NOTHING : OF_FLOAT);
    }
}

/* Small integers are exact in bf16, and their sums in float: then every sum has but one value. */
LOOP_TEST(sums_of_small_integers_are_exact, 0, 4 * ROWS(maps))
{
    bool bf16 = _i % 2 == 1, twice = _i / 2 % 2 == 1;
    if (lacks(bf16)) {
        return;
    }
    numbers n = numbers_make(maps[_i / 4]);
    hl_random random = { .seed = 5, .step = (uint32_t)_i };
    for (int i = 0, k = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < n.count[i]; j++) {
            n.at[i][j] = (hl_real)((int)hl_random_below(random, (uint64_t)k++, 17) - 8);
        }
    }
    numbers_run(&n, (call){ .threads = 2, .bf16 = bf16, .twice = twice });
    for (int i = Y; i < ARRAYS && twice; i++) {
        for (int64_t j = 0; j < n.count[i]; j++) {
            n.at[i][j] /= 2;
        }
    }
    expect(&n, NOTHING);
    numbers_free(&n);
}

LOOP_TEST(products_stay_within_the_bound, 0, 2 * ROWS(maps))
{
    bool bf16 = _i % 2 == 1;
    if (lacks(bf16)) {
        return;
    }
    numbers n = numbers_make(maps[_i / 2]);
    hl_random random = { .seed = 7, .step = (uint32_t)_i };
    for (int i = 0, k = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < n.count[i]; j++) { /* some 30 powers of two, as gradients have */
            uint64_t place = 2 * (uint64_t)k++;
            n.at[i][j] = ldexp(hl_random_normal(random, place), (int)hl_random_below(random, place + 1, 30) - 20);
        }
    }
    numbers_run(&n, (call){ .threads = 2, .bf16 = bf16 });
    expect(&n, bf16 ? OF_BF16 : OF_FLOAT);
    numbers_free(&n);
}

static void draw_inputs(numbers *n)
{
    hl_random random = { .seed = 11 };
    for (int i = 0, k = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < n->count[i]; j++) {
            n->at[i][j] = hl_random_normal(random, (uint64_t)k++);
        }
    }
}

/* Also where rows are dropped, cut off and added to others, and where memory is used again. */
LOOP_TEST(bits_do_not_depend_on_the_number_of_threads, 0, 20)
{
    static const map large[] = {
        { 1300, 200, 130 }, { 900, 512, 300 }, { 131, 64, 1000 }, { 300, 528, 700 }, { 4100, 600, 130 }
    };
    bool bf16 = _i % 2 == 1, fused = _i / 2 % 2 == 1;
    if (lacks(bf16)) {
        return;
    }
    numbers n = numbers_make(large[_i / 4]), one = numbers_make(large[_i / 4]);
    draw_inputs(&n);
    numbers_copy_inputs(&one, &n);
    numbers_run(&one, (call){ .threads = 1, .bf16 = bf16, .fused = fused });
    for (int threads = 2; threads <= 4; threads++) {
        numbers_run(&n, (call){ .threads = threads, .bf16 = bf16, .fused = fused, .reuse = true });
        for (int i = Y; i < ARRAYS; i++) {
            ck_assert_int_eq(memcmp(n.at[i], one.at[i], (size_t)n.count[i] * sizeof *n.at[i]), 0);
        }
    }
    numbers_free(&n);
    numbers_free(&one);
}

/* Fewer rows may take other paths, as those do that are packed: their memory is planned, too, and their bits are those
 * of a pass in memory of its own. */
LOOP_TEST(the_plan_of_many_rows_serves_any_fewer, 0, 12)
{
    static const map most[] = { { 4130, 130, 600 }, { 4097, 70, 1000 }, { 200, 40, 70 } };
    static const int64_t fewer[] = { 4097, 4096, 4095, 577, 128, 65, 1 };
    map of = most[_i / 4];
    call c = { .threads = 2, .bf16 = _i % 2 == 1, .relu = true, .fused = _i / 2 % 2 == 1, .reuse = true };
    call fresh = c;
    fresh.reuse = false;
    if (lacks(c.bf16)) {
        return;
    }
    hl_arena arena;
    hl_tape_plan plan;
    numbers_plan(of, c, &plan);
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    for (int i = 0; i < ROWS(fewer); i++) {
        map now = { fewer[i] < of.N ? fewer[i] : of.N, of.O, of.I };
        numbers planned = numbers_make(now), alone = numbers_make(now);
        draw_inputs(&planned);
        numbers_copy_inputs(&alone, &planned);
        numbers_run(&alone, fresh);
        memset(arena.block, 0xff, arena.capacity); /* NaN: what is read before it is written shows */
        hl_status status = numbers_pass(&planned, c, &plan, &arena);
        ck_assert_msg(status.code == HL_OK, "%lld rows: %s", (long long)now.N, status.text);
        for (int k = Y; k < ARRAYS; k++) {
            ck_assert_mem_eq(planned.at[k], alone.at[k], (size_t)alone.count[k] * sizeof *alone.at[k]);
        }
        numbers_free(&planned);
        numbers_free(&alone);
    }
    hl_tape_plan_free(&plan);
    hl_arena_free(&arena);
}

/* Narrow maps and wide ones, whose weights are packed. Memory is full of NaN before. */
LOOP_TEST(a_map_without_a_bias_is_its_products, 0, 4)
{
    static const map with_or_without[] = { { 70, 40, 30 }, { 70, 1300, 600 } };
    map of = with_or_without[_i / 2];
    call c = { .threads = 2, .bf16 = _i % 2 == 1, .plain = true };
    if (lacks(c.bf16)) {
        return;
    }
    numbers zero = numbers_make(of), none = numbers_make(of);
    draw_inputs(&zero);
    memset(zero.at[B], 0, (size_t)zero.count[B] * sizeof *zero.at[B]);
    numbers_copy_inputs(&none, &zero);
    hl_arena arena;
    hl_tape_plan plan;
    numbers_plan(of, c, &plan);
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    memset(arena.block, 0xff, arena.capacity);
    CHECK_OK(numbers_pass(&none, c, &plan, &arena));
    c.plain = false;
    numbers_run(&zero, c);
    ck_assert_mem_eq(none.at[Y], zero.at[Y], (size_t)zero.count[Y] * sizeof *zero.at[Y]);
    hl_tape_plan_free(&plan);
    hl_arena_free(&arena);
    numbers_free(&none);
    numbers_free(&zero);
}

#ifdef HL_LIBXSMM
static size_t kernels(void)
{
    libxsmm_registry_info info;
    ck_assert_int_eq(libxsmm_get_registry_info(&info), 0);
    return info.size;
}

/* 2^24 and a 1 are 2^24 in float, and so it stays for another 1; the ones alone are a 2, which counts. OpenBLAS, which
 * multiplies where LIBXSMM has no code for the CPU, adds the bias last. */
LOOP_TEST(a_sum_of_products_begins_at_the_bias, 0, 3)
{
    static const map maps_of_ones[] = { { 3, 40, 2 }, { 3, 640, 2 }, { 3, 640, 600 } };
    const hl_small_matmul any = { .M = 3, .N = 40, .K = 2, .a_stride = 2, .b_stride = 40, .c_stride = 40 };
    const hl_real large = ldexp(1, 24);
    if (hl_small_matmul_kernel(any).generated == NULL) {
        return;
    }
    numbers n = numbers_make(maps_of_ones[_i]);
    for (int i = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < n.count[i]; j++) {
            n.at[i][j] = i == B ? large : 1;
        }
    }
    numbers_run(&n, (call){ .threads = 1 });
    for (int64_t j = 0; j < n.count[Y]; j++) {
        ck_assert(n.at[Y][j] == large);
    }
    numbers_free(&n);
}

/* A dry pass with `prepare` generates what passes of any fewer rows need. */
LOOP_TEST(no_pass_of_fewer_rows_generates_code, 0, 10)
{
    static const map most[] = {
        { 1100, 70, 33 }, { 300, 130, 2100 }, { 200, 520, 600 }, { 4130, 70, 1000 }, { 90, 640, 1100 }
    };
    map of = most[_i / 2];
    bool bf16 = _i % 2 == 1;
    if (lacks(bf16)) {
        return;
    }
    hl_arena arena;
    hl_tape_plan plan;
    numbers_plan(of, (call){ .threads = 2, .bf16 = bf16 }, &plan);
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    size_t before = kernels();
    for (int64_t N = of.N; N > 0; N -= N > 1200 ? 971 : N > 70 ? 61 : 1) {
        numbers n = numbers_make((map){ N, of.O, of.I });
        CHECK_OK(numbers_pass(&n, (call){ .threads = 2, .bf16 = bf16 }, &plan, &arena));
        numbers_free(&n);
    }
    ck_assert_uint_eq(kernels(), before);
    hl_tape_plan_free(&plan);
    hl_arena_free(&arena);
}
#endif

SUITE("linear products", .before = hl_threads_setup)
