#include "core/op_gelu_tanh.h"

#include "core/private/exp.h"
#include "core/private/op_of_numbers.h"

static const hl_real twice_root = (hl_real)1.59576912160573071176; /* 2 sqrt(2 / pi) */
static const hl_real cubic = (hl_real)0.044715;

/* x where s(2u) is neither 0 nor 1 in double, else an x near it: its powers stay finite. NaN stays NaN. */
static inline hl_real within(hl_real x)
{
    const hl_real most = 25;
    return x > most ? most : x < -most ? -most : x;
}

static inline hl_real gate(hl_real x)
{
    return hl_sigmoid(twice_root * (x + cubic * (x * x * x)));
}

static inline hl_real value(hl_real x)
{
    return x * gate(within(x));
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

/* s + x s (1 - s) 2 du/dx */
static inline hl_real slope(hl_real x)
{
    hl_real near = within(x), s = gate(near);
    return s + near * (s * (1 - s)) * (twice_root * (1 + 3 * cubic * (near * near)));
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

const hl_op hl_op_gelu_tanh = {
    .name = "gelu_tanh",
    .min_inputs = 1,
    .in_place = 0,
    .infer = hl_infer_same_shape,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_gelu_tanh(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_gelu_tanh, &x, 1, NULL, 0);
}
