#include "tests/core/op_run.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "tests/core/op_calls.h"
#include "tests/core/op_cases.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#ifdef HL_DOUBLE
#define op_run double_op_run
#endif

/* What one run holds until it ends. */
typedef struct work {
    const op_case *c;
    const void *attributes;
    hl_real *values[OP_CASE_MAX_INPUTS];
    hl_real *dy;
    hl_tape_plan plan;
    hl_arena arena;
} work;

static bool copy_out(const hl_real *numbers, int64_t count, int64_t *count_out, double **out)
{
    *out = calloc((size_t)count, sizeof **out);
    *count_out = count;
    for (int64_t i = 0; *out != NULL && i < count; i++) {
        (*out)[i] = (double)numbers[i];
    }
    return *out != NULL;
}

static hl_tensor *build(work *w, hl_arena *arena, hl_tape_options options, hl_tape *tape,
                        hl_tensor *in[OP_CASE_MAX_INPUTS])
{
    hl_tape_begin(tape, arena, options);
    for (int i = 0; i < op_case_inputs(w->c); i++) {
        in[i] = hl_tape_tensor(tape, w->c->inputs[i].shape, w->values[i], true);
    }
    return w->c->build(tape, in, w->attributes);
}

static hl_tape_options options_of(op_run_options how, bool dry)
{
    hl_tape_options options = op_case_options(how.threads, true, dry);
    options.memory.reuse = how.reuse;
    return options;
}

/* The options of the pass for real; one that reuses memory has a plan. */
static hl_tape_options planned(const work *w, op_run_options how)
{
    hl_tape_options options = options_of(how, false);
    options.memory.plan = how.reuse ? &w->plan : NULL;
    return options;
}

static double nudged(double x, int nudge, int64_t k)
{
    uint32_t mixed = ((uint32_t)k + 1) * 2654435761u * (2 * (uint32_t)nudge + 1);
    return nudge == 0 ? x : x * (1 + (mixed >> 31 != 0 ? 0x1p-22 : -0x1p-22));
}

static void fill(work *w, int i, op_run_options how)
{
    op_case_fill(w->c, i, w->values[i]);
    int64_t count = hl_shape_count(w->c->inputs[i].shape);
    for (int64_t k = 0; k < count; k++) {
        double x = (float)ldexp((double)w->values[i][k], how.exponent);
        w->values[i][k] = (hl_real)(how.filled == i + 1 ? how.filling : nudged(x, how.nudge, k));
    }
}

/* Memory for the inputs, for dy and for the pass, which a dry one measures. */
static bool prepare(work *w, op_run_options how)
{
    for (int i = 0; i < op_case_inputs(w->c); i++) {
        w->values[i] = hl_calloc((size_t)hl_shape_count(w->c->inputs[i].shape), sizeof(hl_real));
        if (w->values[i] == NULL) {
            return false;
        }
        fill(w, i, how);
    }
    hl_arena records;
    if (hl_arena_init(&records, (size_t)1 << 16).code != HL_OK) {
        return false;
    }
    hl_tape tape;
    hl_tensor *in[OP_CASE_MAX_INPUTS] = { NULL };
    hl_tensor *y = build(w, &records, options_of(how, true), &tape, in);
    bool good = hl_tape_backward_from(&tape, y, NULL).code == HL_OK;
    int64_t count = good ? hl_shape_count(y->shape) : 0;
    good = good && hl_tape_plan_make(&tape, &w->plan).code == HL_OK;
    size_t bytes = how.reuse ? w->plan.bytes : hl_tape_bytes(&tape);
    hl_arena_free(&records);
    w->dy = hl_calloc((size_t)count, sizeof(hl_real));
    for (int64_t i = 0; w->dy != NULL && i < count; i++) {
        w->dy[i] = op_case_dy(i);
    }
    good = good && w->dy != NULL && hl_arena_init(&w->arena, bytes).code == HL_OK;
    if (good) {
        memset(w->arena.block, 0xff, w->arena.capacity); /* NaN: what an op does not write shows */
    }
    return good;
}

static bool run(work *w, op_run_options how, op_run_result *result)
{
    hl_tape tape;
    hl_tensor *in[OP_CASE_MAX_INPUTS] = { NULL };
    hl_tensor *y = build(w, &w->arena, planned(w, how), &tape, in);
    if (hl_tape_backward_from(&tape, y, w->dy).code != HL_OK ||
        !copy_out(y->data, hl_shape_count(y->shape), &result->count[0], &result->numbers[0])) {
        return false;
    }
    bool good = true;
    for (int i = 0; i < op_case_inputs(w->c) && good; i++) {
        good = in[i]->grad != NULL &&
               copy_out(in[i]->grad, hl_shape_count(in[i]->shape), &result->count[i + 1], &result->numbers[i + 1]);
    }
    return good;
}

bool op_run(int index, op_run_options options, op_run_result *result)
{
    hl_threads_setup();
    *result = (op_run_result){ 0 };
    work w = { .c = &op_cases[index], .attributes = op_cases[index].attributes };
    attention_row again;
    if (options.recompute) {
        again = *(const attention_row *)w.attributes;
        again.recompute = true;
        w.attributes = &again;
    }
    bool good = prepare(&w, options) && run(&w, options, result);
    for (int i = 0; i < OP_CASE_MAX_INPUTS; i++) {
        hl_free(w.values[i]);
    }
    hl_free(w.dy);
    hl_tape_plan_free(&w.plan);
    hl_arena_free(&w.arena);
    return good;
}
