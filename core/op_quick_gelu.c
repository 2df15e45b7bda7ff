#include "core/op_quick_gelu.h"

#include "core/private/exp.h"
#include "core/private/op_of_numbers.h"

static const hl_real steepness = (hl_real)1.702;

static inline hl_real value(hl_real x)
{
    return x * hl_sigmoid(steepness * x);
}

static void put_values(const void *context, hl_range range)
{
    hl_op_put_values(context, range, value);
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    hl_op_forward_numbers(tape, node, put_values);
}

/* s + 1.702 x s (1 - s), in an order in which s (1 - s) = 0 meets x, not an infinite 1.702 x. */
static inline hl_real slope(hl_real x)
{
    hl_real s = hl_sigmoid(steepness * x);
    return s + steepness * (x * (s * (1 - s)));
}

static void put_slopes(const void *context, hl_range range)
{
    hl_op_put_slopes(context, range, slope);
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    (void)scratch;
    hl_op_backward_numbers(tape, node, din, put_slopes);
}

const hl_op hl_op_quick_gelu = {
    .name = "quick_gelu",
    .min_inputs = 1,
    .in_place = 0,
    .infer = hl_infer_same_shape,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_quick_gelu(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_quick_gelu, &x, 1, NULL, 0);
}
