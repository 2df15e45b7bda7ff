/* Linear maps in bf16: against float where all is exact, and under the bound of core/bf16.h where it is not. */
#include "core/arena.h"
#include "core/bf16.h"
#include "core/op_add.h"
#include "core/op_linear.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/tape.h"
#include "tests/check_suite.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef HL_LIBXSMM
#include <libxsmm.h>
#endif

/* What these tests need, the machine may lack: then the op refuses, which is looked at instead. */
static bool here(void)
{
    return hl_bf16_missing() == NULL;
}

typedef struct map {
    int64_t N, O, I;
} map;

enum { X, W, B, DY, R, INPUTS, Y = INPUTS, DX, DW, DB, ARRAYS };

/* All numbers of a linear map, its gradients beside them. */
typedef struct numbers {
    map of;
    int64_t count[ARRAYS];
    hl_real *at[ARRAYS];
} numbers;

static numbers numbers_make(map of)
{
    numbers n = { .of = of };
    const int64_t x = of.N * of.I, y = of.N * of.O, w = of.O * of.I;
    const int64_t count[ARRAYS] = {
        [X] = x, [W] = w, [B] = of.O, [DY] = y, [R] = y, [Y] = y, [DX] = x, [DW] = w, [DB] = of.O
    };
    memcpy(n.count, count, sizeof count);
    for (int i = 0; i < ARRAYS; i++) {
        n.at[i] = calloc((size_t)count[i], sizeof *n.at[i]);
        ck_assert_ptr_nonnull(n.at[i]);
    }
    return n;
}

static void numbers_free(numbers *n)
{
    for (int i = 0; i < ARRAYS; i++) {
        free(n->at[i]);
    }
}

typedef struct call {
    int threads;
    bool bf16, fused;
    bool twice; /* the sum of two such maps: what comes back from one is added to what came from the other */
} call;

/* One pass: fills the results of n from its inputs. `plan`: NULL, or made before of at least as many rows. */
static hl_status pass(const numbers *n, call c, const hl_tape_plan *plan, hl_arena *arena)
{
    hl_arena_rewind(arena, 0);
    hl_tape tape;
    hl_tape_begin(&tape, arena,
                  (hl_tape_options){ .threads = c.threads, .training = true, .gradients = true, .plan = plan });
    map of = n->of;
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(of.N, of.I), n->at[X], true);
    hl_tensor *w = hl_tape_tensor(&tape, HL_SHAPE(of.O, of.I), n->at[W], true);
    hl_tensor *b = hl_tape_tensor(&tape, HL_SHAPE(of.O), n->at[B], true);
    w->bf16 = c.bf16;
    hl_linear_args args = { .x = x, .W = w, .b = b };
    if (c.fused) {
        args.relu = true;
        args.dropout = 0.25F;
        args.residual = hl_tape_tensor(&tape, HL_SHAPE(of.N, of.O), n->at[R], true);
    }
    hl_tensor *y = hl_linear_fused(&tape, args);
    y = c.twice ? hl_add(&tape, y, hl_linear_fused(&tape, args)) : y;
    hl_status status = hl_tape_status(&tape);
    if (status.code == HL_OK) {
        memcpy(n->at[Y], y->data, (size_t)n->count[Y] * sizeof *y->data);
        status = hl_tape_backward_from(&tape, y, n->at[DY]);
    }
    if (status.code == HL_OK) {
        memcpy(n->at[DX], x->grad, (size_t)n->count[DX] * sizeof *x->grad);
        memcpy(n->at[DW], w->grad, (size_t)n->count[DW] * sizeof *w->grad);
        memcpy(n->at[DB], b->grad, (size_t)n->count[DB] * sizeof *b->grad);
    }
    return status;
}

/* An arena is written to its end: one for the largest of all maps would take most of these tests' time. */
static void run(const numbers *n, call c)
{
    hl_arena arena;
    size_t bytes = (size_t)2 << 20;
    for (int i = 0; i < ARRAYS; i++) {
        bytes += 8 * (size_t)n->count[i] * sizeof *n->at[i];
    }
    ck_assert_int_eq(hl_arena_init(&arena, bytes).code, HL_OK);
    hl_status status = pass(n, c, NULL, &arena);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    hl_arena_free(&arena);
}

static void copy_inputs(numbers *to, const numbers *from)
{
    for (int i = 0; i < INPUTS; i++) {
        memcpy(to->at[i], from->at[i], (size_t)from->count[i] * sizeof *from->at[i]);
    }
}

static const map maps[] = {
    { 1, 1, 1 },      { 2, 3, 1 },      { 3, 5, 7 },     { 7, 2, 64 },   { 63, 65, 15 },
    { 64, 64, 64 },   { 65, 33, 17 },   { 130, 97, 65 }, { 517, 3, 2 },  { 96, 128, 127 },
    { 512, 40, 130 }, { 777, 129, 63 }, { 33, 1, 2049 }, { 9, 2050, 3 }, { 5, 70, 4100 },
};
enum { MAPS = sizeof maps / sizeof *maps };

/* Small integers are exact in bf16, and their sums in float: then every sum has but one value. */
START_TEST(sums_of_small_integers_are_those_of_float)
{
    if (!here()) {
        return;
    }
    numbers a = numbers_make(maps[_i / 2]), b = numbers_make(maps[_i / 2]);
    hl_random random = { .seed = 5, .step = (uint32_t)_i };
    for (int i = 0, k = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < a.count[i]; j++) {
            a.at[i][j] = (hl_real)((int)hl_random_below(random, (uint64_t)k++, 17) - 8);
        }
    }
    copy_inputs(&b, &a);
    run(&a, (call){ .threads = 2, .bf16 = true, .twice = _i % 2 == 1 });
    run(&b, (call){ .threads = 2, .twice = _i % 2 == 1 });
    static const char *const names[ARRAYS] = { [Y] = "y", [DX] = "dx", [DW] = "dW", [DB] = "db" };
    for (int i = Y; i < ARRAYS; i++) {
        for (int64_t j = 0; j < a.count[i]; j++) {
            if (!(a.at[i][j] == b.at[i][j])) {
                ck_abort_msg("%s[%lld] is %g, not %g", names[i], (long long)j, (double)a.at[i][j], (double)b.at[i][j]);
            }
        }
    }
    numbers_free(&a);
    numbers_free(&b);
}
END_TEST

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

/* The bound of core/bf16.h; `before` is what the products are added to. */
static void compare(const char *name, int64_t at, double value, double sum, double size, int64_t K, double before)
{
    double n = (double)K;
    double bound =
        (ldexp(1, -7) + ldexp(1, -16)) * size + n * ldexp(1, -23) * (size + fabs(before)) + n * ldexp(1, -126);
    if (!(fabs(value - (sum + before)) <= bound)) {
        ck_abort_msg("%s[%lld] is %.9g, not %.9g: off by %.3g, allowed %.3g", name, (long long)at, value, sum + before,
                     fabs(value - sum - before), bound);
    }
}

START_TEST(products_stay_within_the_bound)
{
    if (!here()) {
        return;
    }
    numbers n = numbers_make(maps[_i]);
    int64_t N = n.of.N, O = n.of.O, I = n.of.I;
    hl_random random = { .seed = 7, .step = (uint32_t)_i };
    for (int i = 0, k = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < n.count[i]; j++) { /* some 30 powers of two, as gradients have */
            uint64_t place = 2 * (uint64_t)k++;
            n.at[i][j] = ldexpf(hl_random_normal(random, place), (int)hl_random_below(random, place + 1, 30) - 20);
        }
    }
    run(&n, (call){ .threads = 2, .bf16 = true });
    for (int64_t j = 0; j < N * O; j++) {
        double size = 0, sum = exact(I, n.at[X] + j / O * I, 1, n.at[W] + j % O * I, 1, &size);
        compare("y", j, (double)n.at[Y][j], sum, size, I, (double)n.at[B][j % O]);
    }
    for (int64_t j = 0; j < N * I; j++) {
        double size = 0, sum = exact(O, n.at[DY] + j / I * O, 1, n.at[W] + j % I, I, &size);
        compare("dx", j, (double)n.at[DX][j], sum, size, O, 0);
    }
    for (int64_t j = 0; j < O * I; j++) {
        double size = 0, sum = exact(N, n.at[DY] + j / I, O, n.at[X] + j % I, I, &size);
        compare("dW", j, (double)n.at[DW][j], sum, size, N, 0);
    }
    for (int64_t j = 0; j < O; j++) { /* in float */
        const hl_real one = 1;
        double size = 0, sum = exact(N, n.at[DY] + j, O, &one, 0, &size);
        ck_assert(fabs((double)n.at[DB][j] - sum) <= (double)N * ldexp(1, -23) * size);
    }
    numbers_free(&n);
}
END_TEST

/* y of one product 1 x. */
static hl_real rounded(hl_real x)
{
    numbers n = numbers_make((map){ 1, 1, 1 });
    n.at[X][0] = x;
    n.at[W][0] = 1;
    run(&n, (call){ .threads = 1, .bf16 = true });
    hl_real y = n.at[Y][0];
    numbers_free(&n);
    return y;
}

START_TEST(factors_are_rounded_to_the_nearest_and_ties_to_even)
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(rounded(rows[i].x) == rows[i].y, "%a becomes %a", (double)rows[i].x, (double)rounded(rows[i].x));
    }
    ck_assert(isnan(rounded(NAN)));
}
END_TEST

/* One number of an input, the last of an odd number too, is infinite or none: so is all that is made of it. */
START_TEST(what_is_not_finite_stays_so)
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
            run(&n, (call){ .threads = 2, .bf16 = true });
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
END_TEST

/* Also where rows are dropped, cut off and added to others, and where memory is used again. */
START_TEST(bits_do_not_depend_on_the_number_of_threads)
{
    if (!here()) {
        return;
    }
    static const map large[] = { { 1300, 200, 130 }, { 900, 512, 300 }, { 131, 64, 1000 } };
    numbers n = numbers_make(large[_i / 2]), one = numbers_make(large[_i / 2]);
    hl_random random = { .seed = 11 };
    for (int i = 0, k = 0; i < INPUTS; i++) {
        for (int64_t j = 0; j < n.count[i]; j++) {
            n.at[i][j] = hl_random_normal(random, (uint64_t)k++);
        }
    }
    copy_inputs(&one, &n);
    run(&one, (call){ .threads = 1, .bf16 = true, .fused = _i % 2 == 1 });
    for (int threads = 2; threads <= 4; threads++) {
        run(&n, (call){ .threads = threads, .bf16 = true, .fused = _i % 2 == 1 });
        for (int i = Y; i < ARRAYS; i++) {
            ck_assert_int_eq(memcmp(n.at[i], one.at[i], (size_t)n.count[i] * sizeof *n.at[i]), 0);
        }
    }
    numbers_free(&n);
    numbers_free(&one);
}
END_TEST

#ifdef HL_LIBXSMM
static size_t kernels(void)
{
    libxsmm_registry_info info;
    ck_assert_int_eq(libxsmm_get_registry_info(&info), 0);
    return info.size;
}

/* A dry pass with `prepare` generates what passes of any fewer rows need. */
START_TEST(no_pass_of_fewer_rows_generates_code)
{
    if (!here()) {
        return;
    }
    static const map most[] = { { 1100, 70, 33 }, { 300, 130, 2100 } };
    map of = most[_i];
    hl_arena arena, records;
    hl_tape_plan plan;
    hl_tape tape;
    ck_assert_int_eq(hl_arena_init(&records, 1 << 16).code, HL_OK);
    hl_tape_begin(&tape, &records,
                  (hl_tape_options){ .threads = 2, .training = true, .gradients = true, .dry = true, .prepare = true });
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(of.N, of.I), NULL, true);
    hl_tensor *w = hl_tape_tensor(&tape, HL_SHAPE(of.O, of.I), NULL, true);
    hl_tensor *b = hl_tape_tensor(&tape, HL_SHAPE(of.O), NULL, true);
    w->bf16 = true;
    hl_tensor *y = hl_linear(&tape, x, w, b);
    ck_assert_int_eq(hl_tape_backward_from(&tape, y, (hl_real[1]){ 0 }).code, HL_OK);
    ck_assert_int_eq(hl_tape_plan_make(&tape, &plan).code, HL_OK);
    ck_assert_int_eq(hl_arena_init(&arena, plan.bytes).code, HL_OK);
    size_t before = kernels();
    for (int64_t N = of.N; N > 0; N -= N > 70 ? 61 : 1) {
        numbers n = numbers_make((map){ N, of.O, of.I });
        ck_assert_int_eq(pass(&n, (call){ .threads = 2, .bf16 = true }, &plan, &arena).code, HL_OK);
        numbers_free(&n);
    }
    ck_assert_uint_eq(kernels(), before);
    hl_tape_plan_free(&plan);
    hl_arena_free(&arena);
    hl_arena_free(&records);
}
END_TEST
#endif

START_TEST(without_the_instruction_the_op_says_so)
{
    if (here()) {
        return;
    }
    numbers n = numbers_make((map){ 2, 3, 4 });
    hl_arena arena;
    ck_assert_int_eq(hl_arena_init(&arena, 1 << 20).code, HL_OK);
    hl_status status = pass(&n, (call){ .threads = 1, .bf16 = true }, NULL, &arena);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, hl_bf16_missing()));
    hl_arena_free(&arena);
    numbers_free(&n);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, sums_of_small_integers_are_those_of_float, 0, 2 * MAPS);
    tcase_add_loop_test(tc, products_stay_within_the_bound, 0, MAPS);
    tcase_add_test(tc, factors_are_rounded_to_the_nearest_and_ties_to_even);
    tcase_add_test(tc, what_is_not_finite_stays_so);
    tcase_add_loop_test(tc, bits_do_not_depend_on_the_number_of_threads, 0, 6);
#ifdef HL_LIBXSMM
    tcase_add_loop_test(tc, no_pass_of_fewer_rows_generates_code, 0, 2);
#endif
    tcase_add_test(tc, without_the_instruction_the_op_says_so);
}
SUITE("bf16", add_tests)
