/* A linear map fused with what commonly follows it, computed while its rows are in the cache:
 *   y = r + dropout(relu(p)),  p = x W^T + b   for every row of x
 * where b, relu, dropout and r may each be missing. x (..., I), W (O, I), b (O), r and y (..., O). Backward, with m the
 * dropout's factor, 0 or scale (core/ops/dropout.h):
 *   dr = dy,  dp = dy * m where p > 0 (or nothing was cut off), else 0,
 *   dx = dp W,  dW = dp^T x,  db = the column sums of dp.
 *
 * The rows of x are cut into blocks, and these into groups whose number depends on the shape alone. db is summed in
 * order within each group, and the groups' sums are added in order; so is dW, unless it is large: then one thread sums
 * each of its tiles over all rows (linear_products.h). The bits therefore do not depend on the number of threads.
 *
 * Where W has `bf16` set, the products x W^T, dp W and dp^T x are those of bf16.h; all else is in float. */
#ifndef HL_CORE_OPS_LINEAR_H
#define HL_CORE_OPS_LINEAR_H

#include "core/base/declarations.h"
#include "core/kernels/bf16.h"
#include "core/tape.h"

HL_BEGIN_DECLS

typedef struct hl_linear_args {
    hl_tensor *x, *W;
    hl_tensor *b;            /* or NULL */
    bool relu;               /* max(p, 0); a gradient of 0 at p = 0, as in PyTorch */
    hl_real dropout;         /* in [0, 1); only where the tape trains */
    uint32_t dropout_stream; /* as hl_dropout's */
    hl_tensor *residual;     /* r, or NULL */
} hl_linear_args;

/* Returns y. Sticky error: shapes that do not fit, a dropout outside [0, 1), bf16 where that is not to be had. */
hl_tensor *hl_linear_fused(hl_tape *tape, hl_linear_args args);

/* The arguments of the linear map that `node` records, owned by the tape; NULL where it records another op. For
 * observers of a tape. */
const hl_linear_args *hl_linear_args_of(const hl_node *node);

/* Returns y = x W^T + b. b may be NULL. Sticky error: shapes that do not fit. */
hl_tensor *hl_linear(hl_tape *tape, hl_tensor *x, hl_tensor *W, hl_tensor *b);

HL_END_DECLS

#endif
