#include "core/ops/silu.h"

#include "core/kernels/private/exp.h"
#include "core/ops/private/of_numbers.h"

static inline hl_real value(hl_real x)
{
    return x * hl_sigmoid(x);
}

static inline hl_real slope(hl_real x)
{
    hl_real s = hl_sigmoid(x);
    return s + x * (s * (1 - s));
}

HL_OP_OF_NUMBERS(silu, value, slope)
