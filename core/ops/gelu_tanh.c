#include "core/ops/gelu_tanh.h"

#include "core/kernels/private/exp.h"
#include "core/ops/private/of_numbers.h"

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

/* s + x s (1 - s) 2 du/dx */
static inline hl_real slope(hl_real x)
{
    hl_real near = within(x), s = gate(near);
    return s + near * (s * (1 - s)) * (twice_root * (1 + 3 * cubic * (near * near)));
}

HL_OP_OF_NUMBERS(gelu_tanh, value, slope)
