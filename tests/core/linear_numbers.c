#include "tests/core/linear_numbers.h"

#include "core/ops/add.h"
#include "core/ops/linear.h"
#include "tests/owned.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

numbers numbers_make(map of)
{
    numbers n = { .of = of };
    const int64_t x = of.N * of.I, y = of.N * of.O, w = of.O * of.I;
    const int64_t count[ARRAYS] = {
        [X] = x, [W] = w, [B] = of.O, [DY] = y, [R] = y, [Y] = y, [DX] = x, [DW] = w, [DB] = of.O, [DR] = y
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

/* What a pass is made of; `n` NULL: in a dry one. */
typedef struct recorded {
    hl_tensor *x, *w, *b, *r, *y; /* b, r: NULL where there is none */
} recorded;

static recorded record(hl_tape *tape, map of, const numbers *n, call c)
{
    recorded t;
    t.x = hl_tape_tensor(tape, HL_SHAPE(of.N, of.I), n != NULL ? n->at[X] : NULL, true);
    t.w = hl_tape_tensor(tape, HL_SHAPE(of.O, of.I), n != NULL ? n->at[W] : NULL, true);
    t.b = c.plain ? NULL : hl_tape_tensor(tape, HL_SHAPE(of.O), n != NULL ? n->at[B] : NULL, true);
    t.r = c.fused ? hl_tape_tensor(tape, HL_SHAPE(of.N, of.O), n != NULL ? n->at[R] : NULL, true) : NULL;
    t.w->bf16 = c.bf16;
    hl_linear_args args = { .x = t.x, .W = t.w, .b = t.b, .relu = c.relu || c.fused };
    if (c.fused) {
        args.dropout = 0.25F;
        args.residual = hl_add(tape, t.r, t.r); /* whose gradient is that of y, in the same memory */
    }
    t.y = hl_linear_fused(tape, args);
    t.y = c.twice ? hl_add(tape, t.y, hl_linear_fused(tape, args)) : t.y;
    return t;
}

void numbers_plan(map of, call c, hl_tape_plan *plan)
{
    hl_tape *tape =
        owned_tape(1 << 16, (hl_tape_options){ .threads = c.threads,
                                               .training = true,
                                               .gradients = true,
                                               .memory = { .dry = true, .prepare = true, .reuse = c.reuse } });
    recorded t = record(tape, of, NULL, c);
    ck_assert_int_eq(hl_tape_backward_from(tape, t.y, (hl_real[1]){ 0 }).code, HL_OK);
    ck_assert_int_eq(hl_tape_plan_make(tape, plan).code, HL_OK);
}

hl_status numbers_pass(const numbers *n, call c, const hl_tape_plan *plan, hl_arena *arena)
{
    hl_arena_rewind(arena, 0);
    hl_tape tape;
    hl_tape_begin(
        &tape, arena,
        (hl_tape_options){ .threads = c.threads, .training = true, .gradients = true, .memory = { .plan = plan } });
    recorded t = record(&tape, n->of, n, c);
    hl_status status = hl_tape_status(&tape);
    if (status.code == HL_OK) {
        memcpy(n->at[Y], t.y->data, (size_t)n->count[Y] * sizeof *t.y->data);
        status = hl_tape_backward_from(&tape, t.y, n->at[DY]);
    }
    if (status.code == HL_OK) {
        memcpy(n->at[DX], t.x->grad, (size_t)n->count[DX] * sizeof *t.x->grad);
        memcpy(n->at[DW], t.w->grad, (size_t)n->count[DW] * sizeof *t.w->grad);
        if (t.b != NULL) {
            memcpy(n->at[DB], t.b->grad, (size_t)n->count[DB] * sizeof *t.b->grad);
        }
        if (c.fused) {
            memcpy(n->at[DR], t.r->grad, (size_t)n->count[DR] * sizeof *t.r->grad);
        }
    }
    return status;
}

/* An arena is written to its end: one for the largest of all maps would take most of these tests' time. */
void numbers_run(const numbers *n, call c)
{
    hl_arena arena;
    hl_tape_plan plan;
    numbers_plan(n->of, c, &plan);
    ck_assert_int_eq(hl_arena_init(&arena, plan.bytes).code, HL_OK);
    hl_status status = numbers_pass(n, c, &plan, &arena);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    hl_tape_plan_free(&plan);
    hl_arena_free(&arena);
}

void numbers_copy_inputs(numbers *to, const numbers *from)
{
    for (int i = 0; i < INPUTS; i++) {
        memcpy(to->at[i], from->at[i], (size_t)from->count[i] * sizeof *from->at[i]);
    }
}
