#include "core/ops/rotate.h"

#include "core/base/threads.h"
#include "core/op.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool infer(hl_tape *tape, hl_node *node)
{
    const hl_rotate_args *a = node->attributes;
    hl_shape x = a->x->shape;
    if (x.n_dims != 2 || a->n_heads < 1 || a->width < 1 || a->n_heads > x.size[1] / a->width) {
        return hl_tape_fail(tape, node, "%" PRId64 " heads of width %" PRId64 " are not in x %s", a->n_heads, a->width,
                            HL_SHAPE_SHOWN(x));
    }
    if (a->longest > a->n_positions) {
        return hl_tape_fail(tape, node,
                            "a sequence of %" PRId64 " tokens is longer than the table of %" PRId64 " positions",
                            a->longest, a->n_positions);
    }
    node->out->shape = x;
    return true;
}

/* to = (or +=) one head's numbers, rotated. `direction` is 1, or -1 for backward. `from` and `to` may be the same. */
static void rotate_head(int64_t width, const hl_real *angles, hl_real direction, const hl_real *from, hl_grad to)
{
    int64_t half = width / 2;
    const hl_real *cosines = angles, *sines = angles + half;
#pragma omp simd
    for (int64_t i = 0; i < half; i++) {
        hl_real x = from[i], y = from[i + half], sine = direction * sines[i];
        hl_grad_put(&to.at[i], x * cosines[i] - y * sine, to.add);
        hl_grad_put(&to.at[i + half], y * cosines[i] + x * sine, to.add);
    }
    if (width % 2 == 1) {
        hl_grad_put(&to.at[width - 1], from[width - 1], to.add);
    }
}

static void rotate_rows(const hl_op_call *call, hl_range rows, hl_real direction, const hl_real *from, hl_grad to)
{
    const hl_rotate_args *a = call->node->attributes;
    int64_t W = hl_shape_last(a->x->shape), rotated = a->n_heads * a->width, angles = a->width / 2 * 2;
    for (int64_t n = rows.begin; n < rows.end; n++) {
        const hl_real *table = a->table + a->positions[n] * angles, *x = from + n * W;
        hl_grad y = { to.at + n * W, to.add };
        for (int64_t h = 0; h < rotated; h += a->width) {
            rotate_head(a->width, table, direction, x + h, (hl_grad){ y.at + h, y.add });
        }
        for (int64_t i = rotated; i < W && y.at != x; i++) {
            hl_grad_put(&y.at[i], x[i], y.add);
        }
    }
}

static void forward_rows(const hl_op_call *call, hl_range rows)
{
    rotate_rows(call, rows, 1, call->node->in[0]->data, (hl_grad){ call->node->out->data, false });
}

/* dx = dy, rotated back */
static void backward_rows(const hl_op_call *call, hl_range rows)
{
    rotate_rows(call, rows, -1, call->node->out->grad, call->din[0]);
}

const hl_op hl_op_rotate = {
    .name = "rotate",
    .min_inputs = 1,
    .in_place = HL_IN_PLACE(0),
    .infer = infer,
    .forward = { .part = forward_rows, .each = 1 },
    .backward = { .part = backward_rows, .each = 1 },
};

hl_tensor *hl_rotate(hl_tape *tape, hl_rotate_args args)
{
    return hl_tape_apply(tape, &hl_op_rotate, &args.x, 1, &args, sizeof args);
}

void hl_rotate_table(int64_t T, int64_t width, double theta, hl_real *table)
{
    int64_t half = width / 2;
    for (int64_t p = 0; p < T; p++) {
        for (int64_t i = 0; i < half; i++) {
            double angle = (double)p * pow(theta, -2 * (double)i / (double)width);
            table[(2 * p) * half + i] = (hl_real)cos(angle);
            table[(2 * p + 1) * half + i] = (hl_real)sin(angle);
        }
    }
}
