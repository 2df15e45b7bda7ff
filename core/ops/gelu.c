#include "core/ops/gelu.h"

#include "core/kernels/private/exp.h"
#include "core/ops/private/of_numbers.h"

static const hl_real inverse_sqrt_2pi = (hl_real)0.39894228040143267794;

static inline hl_real value(hl_real x)
{
    return x * hl_normal_cdf(x, hl_exp((hl_real)-0.5 * x * x));
}

/* Phi(x) + x * phi(x) */
static inline hl_real slope(hl_real x)
{
    hl_real bell = hl_exp((hl_real)-0.5 * x * x);
    return hl_normal_cdf(x, bell) + x * (inverse_sqrt_2pi * bell);
}

HL_OP_OF_NUMBERS(gelu, value, slope)
