#include "core/ops/quick_gelu.h"

#include "core/kernels/private/exp.h"
#include "core/ops/private/of_numbers.h"

static const hl_real steepness = (hl_real)1.702;

static inline hl_real value(hl_real x)
{
    return x * hl_sigmoid(steepness * x);
}

/* s + 1.702 x s (1 - s), in an order in which s (1 - s) = 0 meets x, not an infinite 1.702 x. */
static inline hl_real slope(hl_real x)
{
    hl_real s = hl_sigmoid(steepness * x);
    return s + steepness * (x * (s * (1 - s)));
}

HL_OP_OF_NUMBERS(quick_gelu, value, slope)
