#include "tests/core/linear_numbers.h"

#include "core/op_add.h"
#include "core/op_linear.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

numbers numbers_make(map of)
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

void numbers_free(numbers *n)
{
    for (int i = 0; i < ARRAYS; i++) {
        free(n->at[i]);
    }
}

hl_status numbers_pass(const numbers *n, call c, const hl_tape_plan *plan, hl_arena *arena)
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
void numbers_run(const numbers *n, call c)
{
    hl_arena arena;
    size_t bytes = (size_t)4 << 20;
    for (int i = 0; i < ARRAYS; i++) {
        bytes += 8 * (size_t)n->count[i] * sizeof *n->at[i];
    }
    ck_assert_int_eq(hl_arena_init(&arena, bytes).code, HL_OK);
    hl_status status = numbers_pass(n, c, NULL, &arena);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    hl_arena_free(&arena);
}

void numbers_copy_inputs(numbers *to, const numbers *from)
{
    for (int i = 0; i < INPUTS; i++) {
        memcpy(to->at[i], from->at[i], (size_t)from->count[i] * sizeof *from->at[i]);
    }
}
