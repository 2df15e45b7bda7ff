/* A linear map fused with the steps that often follow it, computed while its rows are in the cache:
 *   y = r + dropout(relu(p)),  p = x W^T + b   for every row of x
 * where b, relu, dropout and r may each be missing. x (..., I), W (O, I), b (O), r and y (..., O). Backward, where m is
 * the factor of dropout, 0 or scale (core/ops/dropout.h):
 *   dr = dy,  dp = dy * m where p > 0 (without relu: everywhere), else 0,
 *   dx = dp W,  dW = dp^T x,  db = the column sums of dp.
 *
 * The rows of x are cut into blocks, and the blocks into groups. The number of groups depends on the shape alone. db is
 * summed in order within each group, and then the sums of the groups are added in order. So is dW, unless it is large:
 * in that case, one thread sums each tile of dW over all rows (linear_products.h). The bits therefore do not depend on
 * the number of threads.
 *
 * If W has `bf16` set, the products x W^T, dp W and dp^T x are computed as in bf16.h; all other numbers are in
 * float. */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/bf16.h"
#include "core/tape.h"

HL_BEGIN_DECLS

typedef struct hl_linear_args {
    hl_tensor *x, *W;
    hl_tensor *b;            /* or NULL */
    bool relu;               /* max(p, 0); the gradient at p = 0 is 0, as in PyTorch */
    hl_real dropout;         /* in [0, 1); only if the tape trains */
    uint32_t dropout_stream; /* as in hl_dropout */
    hl_tensor *residual;     /* r, or NULL */
} hl_linear_args;

/* Returns y. Sticky error: shapes that do not fit together, a dropout outside [0, 1), bf16 where it is not
 * available. */
hl_tensor *hl_linear_fused(hl_tape *tape, hl_linear_args args);

/* The arguments of the linear map that `node` records, owned by the tape; NULL if it records another op. For observers
 * of a tape. */
const hl_linear_args *hl_linear_args_of(const hl_node *node);

/* Returns y = x W^T + b. b may be NULL. Sticky error: shapes that do not fit together. */
hl_tensor *hl_linear(hl_tape *tape, hl_tensor *x, hl_tensor *W, hl_tensor *b);

HL_END_DECLS
