#include "core/ops/scale.h"

#include "core/base/threads.h"
#include "core/op.h"

/* y = (or +=) factor * x */
typedef struct scaling {
    hl_real factor;
    const hl_real *x;
    hl_real *y;
    bool add;
} scaling;

static void scale_numbers(const void *context, hl_range range)
{
    const scaling s = *(const scaling *)context;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_grad_put(&s.y[i], s.factor * s.x[i], s.add);
    }
}

static void scale(const hl_tape *tape, const hl_node *node, const hl_real *x, hl_real *y, bool add)
{
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, scale_numbers,
                   &(scaling){ .factor = *(const hl_real *)node->attributes, .x = x, .y = y, .add = add });
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    scale(tape, node, node->in[0]->data, node->out->data, false);
}

/* dx = factor * dy */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    (void)scratch;
    scale(tape, node, node->out->grad, din[0].at, din[0].add);
}

const hl_op hl_op_scale = {
    .name = "scale",
    .min_inputs = 1,
    .in_place = HL_IN_PLACE(0),
    .infer = hl_infer_same_shape,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_scale(hl_tape *tape, hl_tensor *x, hl_real factor)
{
    return hl_tape_apply(tape, &hl_op_scale, &x, 1, &factor, sizeof factor);
}
