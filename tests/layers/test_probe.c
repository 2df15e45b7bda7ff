/* What a probe sees of one module's heads, and what it changes. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <math.h>
#include <string.h>

enum { B = 2, T = 5, D = 6, H = 4, HKV = 2, DK = 3, DV = 2 };
enum { N = 8, N_WEIGHTS = B * H * T * T, N_Z = N * H * DV, N_Y = N * D };

static const int32_t lengths[B] = { 5, 3 }, offsets[B + 1] = { 0, 5, N };
static const hl_attention_rules rules = { .queries = { B, T, offsets }, .keys = { B, T, offsets } };

typedef struct module {
    hl_parameters parameters;
    hl_multi_head layer;
    hl_real *x;
} module;

static void begin(module *m, hl_real dropout)
{
    *m = (module){ .x = example_numbers(1, N_Y) };
    m->layer = hl_multi_head_make(&m->parameters, hl_name_of("attention"),
                                  (hl_multi_head_config){ .d_model = D,
                                                          .n_heads = H,
                                                          .n_kv_heads = HKV,
                                                          .d_k = DK,
                                                          .d_v = DV,
                                                          .bias = true,
                                                          .dropout_weights = dropout,
                                                          .dropout_concat = dropout });
    example_fill(&m->parameters);
}

static void end(module *m)
{
    hl_parameters_free(&m->parameters);
}

/* What one forward pass left. */
typedef struct pass {
    hl_real weights[N_WEIGHTS], z[N_Z], y[N_Y];
    hl_real v[N * HKV * DV]; /* the values that the weights were applied to */
} pass;

static const hl_tape_options trained = { .training = true, .gradients = true, .seed = 2 };

/* gates (B, H) may be NULL; dgate too, which receives the gradient of the sum of y's numbers times
 * example_number(9). */
static void run(const module *m, const hl_real *gates, const hl_real *const *replace, pass *p, hl_real *dgate)
{
    hl_tape *tape = example_tape(trained);
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(N, D), m->x, false);
    hl_tensor *gate = gates != NULL ? hl_tape_tensor(tape, HL_SHAPE(B, H), gates, true) : NULL;
    hl_head_weights weights = { .at = p->weights, .n_heads = H, .n_tokens = T };
    hl_head_probe probe = {
        .observe = hl_head_weights_observe, .observe_context = &weights, .z = p->z, .gate = gate, .replace = replace
    };
    hl_tensor *y = hl_multi_head_forward(tape, &m->layer, x, x, &rules, &probe, (hl_linear_after){ 0 });
    hl_tensor *v = hl_multi_head_project(tape, &m->layer, x, 2);
    ck_assert_msg(hl_tape_status(tape).code == HL_OK, "%s", hl_tape_status(tape).text);
    memcpy(p->y, y->data, sizeof p->y);
    memcpy(p->v, v->data, sizeof p->v);
    if (dgate != NULL) {
        ck_assert_ptr_nonnull(gate);
        hl_real *dy = example_numbers(9, N_Y);
        CHECK_OK(hl_tape_backward_from(tape, y, dy));
        memcpy(dgate, gate->grad, B * H * sizeof *dgate);
    }
}

static double weight(const pass *p, int b, int h, int i, int j)
{
    return (double)p->weights[((b * H + h) * T + i) * T + j];
}

/* Sum over the keys of weights times values: z of one query and head, before a gate. */
static double weighted_value(const pass *p, int b, int h, int i, int d)
{
    double sum = 0;
    for (int j = 0; j < lengths[b]; j++) {
        sum += weight(p, b, h, i, j) * (double)p->v[(offsets[b] + j) * HKV * DV + h / (H / HKV) * DV + d];
    }
    return sum;
}

static double z_of(const pass *p, int b, int h, int i, int d)
{
    return (double)p->z[(offsets[b] + i) * H * DV + h * DV + d];
}

/* z is made of the recorded weights, times `gates` (1 where NULL). */
static void assert_z_is_made_of_weights(const pass *p, const hl_real *gates)
{
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < H; h++) {
            double gate = gates != NULL ? (double)gates[b * H + h] : 1;
            for (int at = 0; at < lengths[b] * DV; at++) {
                double expected = gate * weighted_value(p, b, h, at / DV, at % DV);
                ck_assert_double_eq_tol(z_of(p, b, h, at / DV, at % DV), expected, 1e-6);
            }
        }
    }
}

TEST(weights_sum_to_1_and_make_z)
{
    module m;
    static pass p;
    begin(&m, 0);
    run(&m, NULL, NULL, &p, NULL);
    for (int row = 0; row < B * H * T; row++) {
        int b = row / (H * T), h = row / T % H, i = row % T;
        double sum = 0;
        for (int j = 0; j < T; j++) {
            double w = weight(&p, b, h, i, j);
            sum += w;
            ck_assert(i < lengths[b] && j < lengths[b] ? w > 0 : w == 0);
        }
        ck_assert_double_eq_tol(sum, i < lengths[b] ? 1 : 0, 1e-6);
    }
    assert_z_is_made_of_weights(&p, NULL);
    end(&m);
}

/* The recorded weights are those before dropout; z is seen after that of the weights, before that of z. */
TEST(dropout_is_not_in_the_weights)
{
    module plain, dropped;
    static pass a, b;
    begin(&plain, 0);
    begin(&dropped, (hl_real)0.5);
    run(&plain, NULL, NULL, &a, NULL);
    run(&dropped, NULL, NULL, &b, NULL);
    ck_assert_mem_eq(a.weights, b.weights, sizeof a.weights);
    ck_assert_mem_ne(a.z, b.z, sizeof a.z);
    int zeros = 0, zeros_dropped = 0; /* a z dropped whole would be zero */
    for (int i = 0; i < N_Z; i++) {
        zeros += a.z[i] == 0;
        zeros_dropped += b.z[i] == 0;
    }
    ck_assert_int_eq(zeros, 0);
    ck_assert_int_lt(zeros_dropped, N_Z / 4);
    end(&plain);
    end(&dropped);
}

enum { REPLACED = 2, KEPT_ROW = 1 };

/* Weights for one head: real queries attend evenly to the keys before them, except one that keeps its own weights. */
static void make_patterns(hl_real given[B * T * T])
{
    memset(given, 0, B * T * T * sizeof *given);
    for (int b = 0; b < B; b++) {
        for (int i = 0; i < T; i++) {
            hl_real *row = given + (b * T + i) * T;
            for (int j = 0; j <= i && j < lengths[b]; j++) {
                row[j] = 1 / (hl_real)(i + 1);
            }
            row[0] = i == KEPT_ROW ? -1 : row[0];
        }
    }
}

TEST(given_patterns_take_the_place_of_the_softmax)
{
    module m;
    static pass own, replaced;
    hl_real given[B * T * T];
    make_patterns(given);
    const hl_real *heads[H] = { [REPLACED] = given };
    begin(&m, 0);
    run(&m, NULL, NULL, &own, NULL);
    run(&m, NULL, heads, &replaced, NULL);
    for (int row = 0; row < B * H * T; row++) {
        int b = row / (H * T), h = row / T % H, i = row % T;
        bool is_given = h == REPLACED && i != KEPT_ROW && i < lengths[b];
        const hl_real *expected = is_given ? given + (b * T + i) * T : own.weights + row * T;
        ck_assert_mem_eq(replaced.weights + row * T, expected, T * sizeof *expected);
        if (h != REPLACED && i < lengths[b]) {
            size_t at = (size_t)((offsets[b] + i) * H + h) * DV;
            ck_assert_mem_eq(replaced.z + at, own.z + at, DV * sizeof *own.z);
        }
    }
    assert_z_is_made_of_weights(&replaced, NULL);
    ck_assert_mem_ne(replaced.y, own.y, sizeof own.y);
    end(&m);
}

/* A gate of 0 does what zero columns of W_O do. */
LOOP_TEST(gate_0_removes_a_head, 0, H)
{
    module m;
    static pass gated, cut;
    hl_real gates[B * H];
    for (int i = 0; i < B * H; i++) {
        gates[i] = i % H == _i ? 0 : 1;
    }
    begin(&m, 0);
    run(&m, gates, NULL, &gated, NULL);
    assert_z_is_made_of_weights(&gated, gates);
    for (int row = 0; row < D; row++) {
        memset(m.layer.out_proj.weight->data + row * H * DV + _i * DV, 0, DV * sizeof(hl_real));
    }
    run(&m, NULL, NULL, &cut, NULL);
    for (int i = 0; i < N_Y; i++) {
        ck_assert_double_eq_tol((double)gated.y[i], (double)cut.y[i], 1e-6);
    }
    end(&m);
}

static double weighted_sum(const pass *p)
{
    double sum = 0;
    for (int i = 0; i < N_Y; i++) {
        sum += (double)p->y[i] * (double)example_number(9, i);
    }
    return sum;
}

/* y is linear in the gates, so that wide differences are exact but for rounding. */
LOOP_TEST(gates_of_0_have_the_gradient_of_a_difference, 0, 2)
{
    module m;
    static pass p;
    hl_real gates[B * H] = { 0 }, dgate[B * H];
    begin(&m, _i == 1 ? (hl_real)0.25 : 0);
    run(&m, gates, NULL, &p, dgate);
    for (int i = 0; i < B * H; i++) {
        gates[i] = 1;
        run(&m, gates, NULL, &p, NULL);
        double above = weighted_sum(&p);
        gates[i] = -1;
        run(&m, gates, NULL, &p, NULL);
        gates[i] = 0;
        ck_assert_double_eq_tol((double)dgate[i], (above - weighted_sum(&p)) / 2, 1e-5);
        ck_assert_double_gt(fabs((double)dgate[i]), 1e-3);
    }
    end(&m);
}

/* Gates of 1 and an empty probe change nothing. */
TEST(gates_of_1_change_no_bit)
{
    module m;
    static pass plain, gated;
    hl_real gates[B * H];
    for (int i = 0; i < B * H; i++) {
        gates[i] = 1;
    }
    begin(&m, (hl_real)0.25);
    run(&m, NULL, NULL, &plain, NULL);
    run(&m, gates, NULL, &gated, NULL);
    ck_assert_mem_eq(plain.y, gated.y, sizeof plain.y);
    ck_assert_mem_eq(plain.z, gated.z, sizeof plain.z);
    end(&m);
}

/* Weights of both layers of a model, and its loss; the second layer's heads gated where asked for. */
static hl_real run_model(hl_real weights[2][B * 2 * T * T], bool first, bool gated)
{
    hl_model_config config = example_config();
    hl_model *model = example_model(&config);
    hl_batch batch = example_batch(B, T, config.vocabulary, lengths);
    hl_tape *tape = example_tape((hl_tape_options){ 0 });
    hl_real zeros[B * 2] = { 0 };
    hl_head_weights copies[2];
    hl_head_probe probes[2] = { { 0 } };
    for (int l = first ? 0 : 1; l < 2; l++) {
        copies[l] = (hl_head_weights){ .at = weights[l], .n_heads = 2, .n_tokens = T };
        probes[l] = (hl_head_probe){ .observe = hl_head_weights_observe, .observe_context = &copies[l] };
    }
    probes[1].gate = gated ? hl_tape_tensor(tape, HL_SHAPE(B, 2), zeros, false) : NULL;
    hl_tensor *loss = hl_model_loss(tape, model, &batch, (hl_cross_entropy_args){ 0 }, probes);
    ck_assert_ptr_nonnull(loss);
    hl_real value = loss->data[0];
    return value;
}

TEST(each_layer_of_a_model_has_its_probe)
{
    hl_real both[2][B * 2 * T * T] = { { 0 } }, second[2][B * 2 * T * T] = { { 0 } };
    hl_real loss = run_model(both, true, false);
    ck_assert(run_model(second, false, false) == loss);
    ck_assert_mem_eq(both[1], second[1], sizeof both[1]);
    ck_assert_mem_ne(both[0], both[1], sizeof both[0]);
    ck_assert(second[0][0] == 0 && both[0][0] > 0 && both[1][0] > 0);
    ck_assert(run_model(second, true, true) != loss);
    ck_assert_mem_eq(both, second, sizeof both); /* the last layer's gate comes after all weights */
}

SUITE("probes")
