/* Where an op's backward writes a gradient. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The gradient of one input. `at` is NULL if no gradient is wanted. Otherwise backward writes every element: dx = ...
 * if `add` is false (the memory is not initialised), dx += ... if it is true. If one tensor is several inputs of an op,
 * all its gradients have `add`, because they share the same memory. The exception is `disjoint` in core/op.h. */
typedef struct hl_grad {
    hl_real *at;
    bool add;
} hl_grad;

/* dx = v or dx += v. `add` is constant within a loop, so the compiler makes two loops. */
static inline void hl_grad_put(hl_real *dx, hl_real v, bool add)
{
    *dx = add ? *dx + v : v;
}

/* dx = (or +=) factor * x, n numbers on at most `threads` threads; x and dx.at may be the same. */
void hl_grad_scale(int threads, int64_t n, hl_real factor, const hl_real *x, hl_grad dx);

HL_END_DECLS
