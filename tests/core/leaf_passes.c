#include "tests/core/leaf_passes.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/ops/add.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/embedding.h"
#include "core/ops/layer_norm.h"
#include "core/ops/linear.h"
#include "core/ops/scale.h"
#include "tests/owned.h"
#include "tests/scratch.h"

#include <check.h>
#include <string.h>

/* W (V, D), W1 (F, D) and W2 (D, F) have more than 2^16 numbers, and W3 (C, D) more than 2^18: their gradients are
 * summed in parts. */
enum { V = 700, D = LEAF_PASSES_WIDTH, F = 720, C = 2800, LONGEST = 130 };

int leaf_passes_first(int leaf)
{
    static const int firsts[] = { 0, 37, 37, 101, 231, 232, 302, LEAF_PASSES_ROWS };
    return firsts[leaf];
}

static hl_tensor *parameter(leaf_passes *p, const char *name, hl_shape shape)
{
    return hl_parameters_add(
        &p->parameters, (hl_parameter_spec){ .name = name, .shape = shape, .init = HL_INIT_UNIFORM, .scale = 0.2 });
}

static hl_tensor *named(const leaf_passes *p, const char *name)
{
    return hl_parameters_find(&p->parameters, name)->tensor;
}

static hl_tensor *loss_of(leaf_passes *p, hl_tape *tape, int first, int n, hl_cross_entropy_result *result)
{
    bool dry = tape->options.memory.dry;
    hl_tensor *shift = hl_scale(tape, hl_tape_tensor(tape, HL_SHAPE(D), dry ? NULL : p->shift, false), (hl_real)0.5);
    hl_tensor *x = hl_embedding(tape, (hl_embedding_args){ .W = named(p, "W"),
                                                           .scale = 3,
                                                           .ids = p->ids + first,
                                                           .P = named(p, "P"),
                                                           .positions = p->positions + first,
                                                           .n = n,
                                                           .longest = 40 });
    x = hl_layer_norm(tape, x, named(p, "gamma"), named(p, "beta"), (hl_real)1e-5);
    hl_tensor *y = hl_linear_fused(
        tape,
        (hl_linear_args){ .x = x, .W = named(p, "W1"), .b = named(p, "b1"), .relu = true, .dropout = (hl_real)0.1 });
    x = hl_linear_fused(tape, (hl_linear_args){ .x = y,
                                                .W = named(p, "W2"),
                                                .b = named(p, "b2"),
                                                .dropout = (hl_real)0.1,
                                                .dropout_stream = 1,
                                                .residual = x });
    x = hl_add(tape, hl_add(tape, x, named(p, "b")), shift);
    x = hl_linear(tape, x, named(p, "S"), NULL);
    x = hl_linear(tape, x, named(p, "W3"), named(p, "b3"));
    return hl_cross_entropy(
        tape, x,
        (hl_cross_entropy_args){ .targets = dry ? NULL : p->targets + first, .n = LEAF_PASSES_ROWS, .result = result });
}

static hl_tape_options options_of(const leaf_passes *p, int first, int n)
{
    return (hl_tape_options){ .threads = 1,
                              .training = true,
                              .gradients = true,
                              .memory = { .reuse = true, .plan = &p->plan },
                              .seed = 5,
                              .places = p->places + first,
                              .n_places = n };
}

static hl_status record(hl_tape *tape, void *passes)
{
    hl_status status = hl_tape_backward(tape, loss_of(passes, tape, 0, LONGEST, NULL));
    ck_assert(!hl_tape_leaves_share(tape));
    return status;
}

static void make_plan(leaf_passes *p)
{
    const hl_tape_options options = {
        .threads = 3, .training = true, .gradients = true, .memory = { .reuse = true, .leaves = LEAF_PASSES_LEAVES }
    };
    hl_status status = hl_tape_plan_pass((size_t)1 << 16, options, record, p, &p->plan);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
}

static void release(void *passes)
{
    leaf_passes *p = passes;
    hl_parameters_free(&p->parameters);
    hl_tape_plan_free(&p->plan);
    hl_free(p);
}

leaf_passes *leaf_passes_make(bool bf16)
{
    hl_threads_setup();
    leaf_passes *p = hl_calloc(1, sizeof *p);
    ck_assert_ptr_nonnull(p);
    scratch_own(p, release);
    parameter(p, "W", HL_SHAPE(V, D));
    parameter(p, "P", HL_SHAPE(40, D));
    parameter(p, "gamma", HL_SHAPE(D));
    parameter(p, "beta", HL_SHAPE(D));
    parameter(p, "W1", HL_SHAPE(F, D));
    parameter(p, "b1", HL_SHAPE(F));
    parameter(p, "W2", HL_SHAPE(D, F));
    parameter(p, "b2", HL_SHAPE(D));
    parameter(p, "b", HL_SHAPE(D));
    parameter(p, "S", HL_SHAPE(D, D));
    parameter(p, "W3", HL_SHAPE(C, D));
    parameter(p, "b3", HL_SHAPE(C));
    ck_assert_int_eq(hl_parameters_allocate(&p->parameters).code, HL_OK);
    hl_parameters_initialise(&p->parameters, 3);
    static const char *const maps[] = { "W1", "W2", "S", "W3" };
    for (int i = 0; i < 4; i++) {
        named(p, maps[i])->bf16 = bf16;
    }
    for (int i = 0; i < D; i++) {
        p->shift[i] = (hl_real)(i % 5 - 2);
    }
    for (int i = 0; i < LEAF_PASSES_ROWS; i++) {
        p->ids[i] = i * i % V;
        p->positions[i] = i % 40;
        p->targets[i] = i * 131 % C;
        p->places[i] = 3 * i;
    }
    make_plan(p);
    return p;
}

double leaf_passes_rows(leaf_passes *p, int first, int n, hl_real *gradients)
{
    hl_arena arena;
    hl_tape tape;
    hl_cross_entropy_result result = { 0 };
    hl_tape_options options = options_of(p, first, n);
    if (n > LONGEST) {
        options.memory.plan = NULL;
    }
    ck_assert_int_eq(hl_arena_init(&arena, (size_t)64 << 20).code, HL_OK);
    hl_tape_begin(&tape, &arena, options);
    hl_tensor *loss = loss_of(p, &tape, first, n, &result);
    hl_status status = hl_tape_status(&tape);
    if (gradients != NULL && status.code == HL_OK) {
        memset(gradients, 0, (size_t)p->parameters.count * sizeof *gradients);
        hl_parameters_grads_into(&p->parameters, gradients);
        status = hl_tape_backward(&tape, loss);
    }
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    hl_arena_free(&arena);
    return result.loss_sum / LEAF_PASSES_ROWS;
}

void leaf_passes_together(leaf_passes *p, int threads, int first, int n, hl_real *gradients)
{
    hl_arena arenas[LEAF_PASSES_LEAVES];
    hl_tape_leaf leaves[LEAF_PASSES_LEAVES];
    hl_tape_kept kept = { .numbers = owned_calloc(1, p->plan.kept + 1) };
    hl_real *scratch = owned_calloc(1, p->plan.sums);
    memset(kept.numbers, 0xff, p->plan.kept + 1); /* NaN: what is read before it is written shows */
    memset(scratch, 0xff, p->plan.sums);
    hl_parameters_grads_into(&p->parameters, gradients);
    for (int i = 0; i < n; i++) {
        int row = leaf_passes_first(first + i), rows = leaf_passes_first(first + i + 1) - row;
        hl_tape_options options = options_of(p, row, rows);
        options.memory.kept = &kept;
        leaves[i].empty = rows == 0;
        ck_assert_int_eq(hl_arena_init(&arenas[i], p->plan.bytes).code, HL_OK);
        if (rows > 0) {
            hl_tape_begin(&leaves[i].tape, &arenas[i], options);
            leaves[i].loss = loss_of(p, &leaves[i].tape, row, rows, NULL);
            kept.made = true;
        }
    }
    hl_status status = hl_tape_leaves_backward(threads, n, leaves, scratch);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    for (int i = 0; i < n; i++) {
        hl_arena_free(&arenas[i]);
    }
}
