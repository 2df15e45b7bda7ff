/* Values that are known by hand: a gradient check only shows that a backward fits its forward. */
#include "core/base/threads.h"
#include "core/kernels/random.h"
#include "core/ops/ops.h"
#include "tests/check_suite.h"

#include <math.h>
#include <string.h>

static hl_arena arena;
static hl_tape tape;

static void setup(void)
{
    hl_threads_setup();
    CHECK_OK(hl_arena_init(&arena, (size_t)1 << 16));
    hl_tape_begin(&tape, &arena, (hl_tape_options){ 0 });
}

static void teardown(void)
{
    hl_arena_free(&arena);
}

static hl_tensor *tensor(hl_shape shape, const hl_real *numbers)
{
    return hl_tape_tensor(&tape, shape, numbers, false);
}

static void check_values(const hl_tensor *y, hl_shape shape, const double *wanted)
{
    ck_assert_ptr_nonnull(y);
    ck_assert(hl_shape_equal(y->shape, shape));
    for (int64_t i = 0; i < hl_shape_count(shape); i++) {
        ck_assert_double_eq_tol((double)y->data[i], wanted[i], 1e-6);
    }
}

TEST(functions_of_single_numbers)
{
    const hl_real x[5] = { -3, -1, 0, 1, 3 };
    hl_tensor *t = tensor(HL_SHAPE(5), x);
    check_values(hl_relu(&tape, t), HL_SHAPE(5), (double[]){ 0, 0, 0, 1, 3 });
    check_values(hl_gelu(&tape, t), HL_SHAPE(5), (double[]){ -0.00404969, -0.15865525, 0, 0.84134475, 2.99595031 });
    check_values(hl_gelu_tanh(&tape, t), HL_SHAPE(5),
                 (double[]){ -0.0036373921, -0.15880801, 0, 0.84119199, 2.9963626 });
    check_values(hl_quick_gelu(&tape, t), HL_SHAPE(5),
                 (double[]){ -0.01807131, -0.15420423, 0, 0.84579577, 2.9819287 });
    check_values(hl_silu(&tape, t), HL_SHAPE(5), (double[]){ -0.14227762, -0.26894142, 0, 0.73105858, 2.8577224 });
    check_values(hl_tanh(&tape, t), HL_SHAPE(5), (double[]){ -0.99505475, -0.76159416, 0, 0.76159416, 0.99505475 });
    check_values(hl_scale(&tape, t, -2), HL_SHAPE(5), (double[]){ 6, 2, 0, -2, -6 });
    check_values(hl_sum(&tape, hl_relu(&tape, t)), (hl_shape){ 0 }, (double[]){ 4 });
    check_values(hl_mean(&tape, hl_relu(&tape, t)), (hl_shape){ 0 }, (double[]){ 0.8 });
    ck_assert(isnan(hl_relu(&tape, tensor(HL_SHAPE(1), &(hl_real){ NAN }))->data[0]));
}

/* Where e^x and x^3 overflow the values are those of the limits, and the slopes as well. */
TEST(functions_far_out)
{
    const hl_real x[6] = { -3e38f, -1e13f, -100, 100, 1e13f, 3e38f }, ones[6] = { 1, 1, 1, 1, 1, 1 };
    hl_tensor *(*const functions[])(hl_tape *, hl_tensor *) = { hl_gelu, hl_gelu_tanh, hl_quick_gelu, hl_silu,
                                                                hl_tanh };
    for (int f = 0; f < 5; f++) {
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .gradients = true });
        hl_tensor *in = hl_tape_tensor(&tape, HL_SHAPE(6), x, true), *y = functions[f](&tape, in);
        CHECK_OK(hl_tape_backward_from(&tape, y, ones));
        for (int i = 0; i < 6; i++) {
            bool positive = x[i] > 0, bounded = f == 4;
            ck_assert(y->data[i] == (bounded ? (positive ? 1 : -1) : positive ? x[i] : 0));
            ck_assert(in->grad[i] == (!bounded && positive ? 1 : 0));
        }
    }
}

/* Within 3 units in the last place, across the change of formulas. */
TEST(tanh_is_exact)
{
    enum { MIDDLE = 2000, N = 2 * MIDDLE + 1 };
    static hl_real x[N];
    for (int i = 0; i < N; i++) {
        x[i] = (hl_real)(i - MIDDLE) * (hl_real)0.005;
    }
    hl_tensor *y = hl_tanh(&tape, tensor(HL_SHAPE(N), x));
    ck_assert_ptr_nonnull(y);
    for (int i = 0; i < N; i++) {
        double truth = tanh((double)x[i]), unit = truth == 0 ? 0 : ldexp(1, ilogb(truth) - 23);
        ck_assert_msg(fabs((double)y->data[i] - truth) <= 3 * unit, "tanh(%.9g) is %.9g", (double)x[i],
                      (double)y->data[i]);
    }
    ck_assert(isnan(hl_tanh(&tape, tensor(HL_SHAPE(1), &(hl_real){ NAN }))->data[0]));
}

/* Two queries, two keys; v makes the weights readable: z = (A[i][0], A[i][1]). Key 1 is forbidden to query 0. */
TEST(given_weights_take_the_place_of_the_softmax_but_where_the_mask_forbids)
{
    const hl_real numbers[2] = { 1, -1 }, v[4] = { 1, 0, 0, 1 }, given[4] = { 0.5f, 0.25f, 0.125f, 0.75f };
    const hl_real forbidding[4] = { 0, -INFINITY, 0, 0 };
    const hl_real *replace[1] = { given };
    const int32_t offsets[2] = { 0, 2 };
    hl_tensor *x = tensor(HL_SHAPE(2, 1), numbers);
    hl_attention_args args = { .q = { x, 0 },
                               .k = { x, 0 },
                               .v = { tensor(HL_SHAPE(2, 2), v), 0 },
                               .queries = { 1, 2, offsets },
                               .keys = { 1, 2, offsets },
                               .n_heads = 1,
                               .n_kv_heads = 1,
                               .d_k = 1,
                               .d_v = 2 };
    args.mask.bias = tensor(HL_SHAPE(1, 1, 2, 2), forbidding);
    double e = exp(1), own[4] = { 1, 0, 1 / (e * e + 1), e * e / (e * e + 1) };
    check_values(hl_attention(&tape, args), HL_SHAPE(2, 2), own);
    args.replace = replace;
    check_values(hl_attention(&tape, args), HL_SHAPE(2, 2), (double[]){ 0.5, 0, 0.125, 0.75 });
    args.mask = (hl_mask){ .causal = true };
    check_values(hl_attention(&tape, args), HL_SHAPE(2, 2), (double[]){ 0.5, 0, 0.125, 0.75 });
    const hl_real kept[4] = { -1, 0, 0.125f, 0.75f };
    replace[0] = kept;
    check_values(hl_attention(&tape, args), HL_SHAPE(2, 2), (double[]){ 1, 0, 0.125, 0.75 });
}

TEST(pieces_of_tensors)
{
    const hl_real W[6] = { 1, 2, 3, 4, 5, 6 };
    const int32_t ids[] = { 2, 0, 2 };
    hl_tensor *w = tensor(HL_SHAPE(3, 2), W);
    hl_embedding_args embedding = {
        .W = w, .scale = 10, .ids = ids, .P = w, .positions = (int32_t[]){ 0, 1, 2 }, .n = 3
    };
    check_values(hl_embedding(&tape, embedding), HL_SHAPE(3, 2), (double[]){ 51, 62, 13, 24, 55, 66 });
    embedding.S = w;
    check_values(hl_embedding(&tape, embedding), HL_SHAPE(3, 2), (double[]){ 52, 64, 14, 26, 56, 68 });
    embedding.types = (int32_t[]){ 2, 0, 1 };
    check_values(hl_embedding(&tape, embedding), HL_SHAPE(3, 2), (double[]){ 56, 68, 14, 26, 58, 70 });
    embedding.S = embedding.P = NULL;
    check_values(hl_embedding(&tape, embedding), HL_SHAPE(3, 2), (double[]){ 50, 60, 10, 20, 50, 60 });
    check_values(hl_gather_rows(&tape, w, ids, 0, HL_SHAPE(3)), HL_SHAPE(3, 2), (double[]){ 5, 6, 1, 2, 5, 6 });
    const int32_t offsets[3] = { 7, 8, 10 }; /* of a slice */
    const hl_sequences sequences = { 2, 2, offsets };
    check_values(hl_mean_rows(&tape, w, sequences, offsets, 2, false), HL_SHAPE(2, 2), (double[]){ 1, 2, 4, 5 });
    const int32_t last[2] = { 8, 9 };
    check_values(hl_mean_rows(&tape, w, sequences, last, 2, false), HL_SHAPE(2, 2), (double[]){ 4, 5, 4, 5 });
    check_values(hl_mean_rows(&tape, w, sequences, offsets, 2, true), HL_SHAPE(2, 2), (double[]){ 1, 2, 5, 6 });
    check_values(hl_slice(&tape, tensor(HL_SHAPE(2, 3), W), 1, 2), HL_SHAPE(2, 2), (double[]){ 2, 3, 5, 6 });
    const hl_real x[4] = { 1, 2, 3, 6 }, gamma[4] = { 1, 2, 1, 1 }, beta[4] = { 0, 0, 5, 0 };
    double d = sqrt(3.5); /* the mean is 3, the mean square deviation 3.5 */
    check_values(hl_layer_norm(&tape, tensor(HL_SHAPE(4), x), tensor(HL_SHAPE(4), gamma), tensor(HL_SHAPE(4), beta), 0),
                 HL_SHAPE(4), (double[]){ -2 / d, -2 / d, 5, 3 / d });
    d = sqrt(12.5); /* of the mean square */
    check_values(hl_rms_norm(&tape, tensor(HL_SHAPE(4), x), tensor(HL_SHAPE(4), gamma), 0), HL_SHAPE(4),
                 (double[]){ 1 / d, 4 / d, 3 / d, 6 / d });
}

TEST(cross_entropy_takes_targets_that_are_no_class)
{
    const hl_real logits[8] = { 0, 0, 0, 0, 0, 3, 0, 0 };
    hl_real rows[2] = { 9, 9 };
    hl_cross_entropy_result result = { .row_loss = rows };
    hl_cross_entropy_args args = { .targets = (int32_t[]){ -1, 1 }, .n = 1, .result = &result };
    double known = log(3 + exp(3)) - 3;
    check_values(hl_cross_entropy(&tape, tensor(HL_SHAPE(2, 4), logits), args), (hl_shape){ 0 }, &known);
    ck_assert(result.n_scored == 2 && result.n_known == 1 && result.n_correct == 1 && rows[0] == 0);
    args.smoothing = 0.5f; /* which such a row has no part in either */
    known = 0.5 * known + 0.5 * (known + 3 - 0.75);
    check_values(hl_cross_entropy(&tape, tensor(HL_SHAPE(2, 4), logits), args), (hl_shape){ 0 }, &known);
}

TEST(cross_entropy_reports_what_it_found)
{
    const hl_real logits[8] = { 0, 0, 0, 0, 0, 3, 0, 0 };
    const int32_t targets[2] = { 0, 2 };
    hl_real rows[2];
    hl_cross_entropy_result result = { .row_loss = rows };
    hl_tensor *t = tensor(HL_SHAPE(2, 4), logits);
    hl_tensor *loss = hl_cross_entropy(&tape, t, (hl_cross_entropy_args){ .targets = targets, .result = &result });
    double second = log(3 + exp(3));
    check_values(loss, (hl_shape){ 0 }, &(double){ (log(4) + second) / 2 });
    ck_assert(result.n_scored == 2 && result.n_known == 2);
    ck_assert_int_eq(result.n_correct, 1); /* of equal logits the first counts */
    ck_assert_double_eq_tol(result.loss_sum, log(4) + second, 1e-6);
    ck_assert_double_eq_tol((double)rows[1], second, 1e-6);
    hl_cross_entropy(&tape, t, (hl_cross_entropy_args){ .targets = (int32_t[]){ 1, 1 }, .result = &result });
    ck_assert_int_eq(result.n_scored, 2);
    ck_assert_int_eq(result.n_correct, 1); /* each by its own target */
    loss = hl_cross_entropy(&tape, t, (hl_cross_entropy_args){ .targets = targets, .n = 10, .smoothing = 0.5f });
    double smooth = 0.5 * second + 0.5 * (second - 0.75); /* half on the target, half spread over 4 */
    check_values(loss, (hl_shape){ 0 }, &(double){ (log(4) + smooth) / 10 });
}

/* The rows' own losses are floats; added up as floats they would be wrong in the fifth digit. */
TEST(the_loss_of_many_tokens_keeps_its_accuracy)
{
    enum { N = 300000, V = 3 };
    static hl_real logits[N * V];
    static int32_t targets[N];
    hl_random random = { .seed = 3 };
    double wanted = 0;
    for (int64_t n = 0; n < N; n++) {
        double exps = 0;
        for (int64_t i = 0; i < V; i++) {
            logits[n * V + i] = 4 * hl_random_uniform(random, (uint64_t)(n * V + i));
            exps += exp((double)logits[n * V + i]);
        }
        targets[n] = (int32_t)(n % V);
        wanted += log(exps) - (double)logits[n * V + targets[n]];
    }
    hl_arena_free(&arena);
    CHECK_OK(hl_arena_init(&arena, (size_t)1 << 24));
    for (int threads = 1; threads <= 2; threads++) {
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = threads });
        hl_cross_entropy_result result = { 0 };
        const hl_tensor *loss = hl_cross_entropy(&tape, tensor(HL_SHAPE(N, V), logits),
                                                 (hl_cross_entropy_args){ .targets = targets, .result = &result });
        ck_assert_double_eq_tol(result.loss_sum / wanted, 1, 1e-8);
        ck_assert_double_eq_tol((double)*loss->data / (wanted / N), 1, 1e-7);
        hl_arena_rewind(&arena, 0);
    }
}

/* What an observer saw: the weights of two heads over two keys, one after the other. */
static void keep_weights(void *context, const hl_attention_seen *seen)
{
    hl_real *weights = context;
    ck_assert(seen->b == 0 && seen->first == 0 && seen->n_queries == 1 && seen->n_keys == 2 && seen->last);
    memcpy(weights + 2 * seen->h, seen->A, 2 * sizeof *weights);
}

/* Two heads over one key/value head: weights from q k / sqrt(4) with q of the head's own columns. */
TEST(attention_scales_by_the_root_of_d_k_and_shares_keys)
{
    const hl_real q[8] = { 2, 0, 0, 0, 0, 0, 0, 4 }, k[8] = { 1, 0, 0, 0, 0, 0, 0, 1 }, v[2] = { 10, 20 };
    const int32_t one[2] = { 0, 1 }, two[2] = { 0, 2 };
    hl_real weights[4];
    hl_tensor *z = hl_attention(&tape, (hl_attention_args){
                                           .q.x = tensor(HL_SHAPE(1, 8), q),
                                           .k.x = tensor(HL_SHAPE(2, 4), k),
                                           .v.x = tensor(HL_SHAPE(2, 1), v),
                                           .queries = { 1, 1, one },
                                           .keys = { 1, 2, two },
                                           .n_heads = 2,
                                           .n_kv_heads = 1,
                                           .d_k = 4,
                                           .d_v = 1,
                                           .observe = keep_weights,
                                           .observe_context = weights,
                                       });
    double first = 1 / (1 + exp(-1)), second = 1 / (1 + exp(2));
    check_values(z, HL_SHAPE(1, 2), (double[]){ 20 - 10 * first, 20 - 10 * second });
    ck_assert_double_eq_tol((double)weights[0], first, 1e-6);
    ck_assert_double_eq_tol((double)weights[3], 1 - second, 1e-6);
}

SUITE("op values", .before = setup, .after = teardown)
