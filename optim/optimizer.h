/* Optimizers: Adam, AdamW and SGD over a parameter registry (core/parameters.h).
 *
 * One step is one pass over memory. Every number is updated on its own and nothing is summed, so any number of threads
 * gives the same bits. Formulas, for update number t counted from 1, gradient g, weight w, learning rate a:
 *
 *   SGD     g' = g + weight_decay w                     w -= a g'
 *   Adam    g' = g + weight_decay w
 *           m = beta1 m + (1 - beta1) g'                v = beta2 v + (1 - beta2) g'^2
 *           w -= a / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
 *   AdamW   as Adam with g' = g, and w is first multiplied by 1 - a weight_decay (decoupled decay; Loshchilov, Hutter)
 *
 * Moments are computed as m += (1 - beta1) (g' - m), because the constant 1 - beta1 is accurate in float. Weights are
 * as close to those of double precision as PyTorch's, or closer (tests/optim/test_accuracy.c).
 *
 * The optimizers work as in PyTorch, with one difference. Under all three names, weight_decay applies only to
 * parameters registered with `decay` (matrices, not biases and norms). PyTorch applies it to a whole group. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/parameters.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_optimizer_name { HL_ADAM, HL_ADAMW, HL_SGD } hl_optimizer_name;

typedef struct hl_optimizer_options {
    hl_optimizer_name name;
    double beta1, beta2; /* in [0, 1); not used by SGD */
    double epsilon;      /* above 0, also after rounding to hl_real; not used by SGD */
    double weight_decay; /* at least 0; 0 turns it off */
} hl_optimizer_options;

/* A checkpoint stores `step`, `m` and `v`, and a resumed run restores them. The moments of a parameter begin at its
 * `offset` in the blocks. */
typedef struct hl_optimizer {
    hl_optimizer_options options;
    hl_parameters *parameters; /* not owned */
    int64_t step;              /* number of updates done */
    hl_real *m;                /* first moments, laid out as parameters->values, zero in gaps; NULL for SGD; owned */
    hl_real *v;                /* second moments, in the same layout */
} hl_optimizer;

/* Starts at step 0 with zero moments. `parameters` must be allocated, must not change its registrations, and must
 * outlive the optimizer. Fails with HL_INVALID (an unallocated registry, or an option out of range, which the text
 * names) or HL_NO_MEMORY; `optimizer` is then empty and may be given to hl_optimizer_free. */
hl_status hl_optimizer_init(hl_optimizer *optimizer, hl_parameters *parameters, hl_optimizer_options options);

/* Frees the moments and zeroes the optimizer. A zeroed optimizer is allowed. */
void hl_optimizer_free(hl_optimizer *optimizer);

/* Makes one update from the current gradients, on at most `threads` threads. Values, moments and `step` change;
 * gradients do not. A frozen parameter (requires_grad false) keeps its value and moments. All parameters use the
 * optimizer's step as t, even a parameter that was frozen for a while. An empty optimizer does nothing. Cannot fail. */
void hl_optimizer_step(hl_optimizer *optimizer, int threads, double learning_rate);

HL_END_DECLS
