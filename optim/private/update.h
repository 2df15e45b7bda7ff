/* An update rule as optimizer.c applies it, for the files that implement one (adam.c, sgd.c). */
#ifndef HL_OPTIM_PRIVATE_UPDATE_H
#define HL_OPTIM_PRIVATE_UPDATE_H

#include "optim/optimizer.h"

#include <stdbool.h>
#include <stdint.h>

/* One step's constants, computed in double and rounded once. */
typedef struct hl_update_constants {
    hl_real rate;       /* what the direction is multiplied by */
    hl_real l2;         /* times the weight is added to its gradient, where it decays */
    hl_real shrink;     /* times the weight is subtracted from it, where it decays apart from its gradient; in float,
                           1 - shrink would be off by up to 3% of a shrink of 1e-6 */
    hl_real beta1;      /* of the first moments; 1 - beta1 is stored too, as in float 1 - 0.999f is off by 1e-5 */
    hl_real beta1_rest; /* 1 - beta1 */
    hl_real beta2;
    hl_real beta2_rest;
    hl_real root_scale; /* 1 / sqrt(1 - beta2^t) */
    hl_real epsilon;
} hl_update_constants;

/* Updates the numbers begin ... end - 1 of the optimizer's blocks, all of one parameter; `decay` is that parameter's.
 * Called by several threads for disjoint ranges. */
typedef void hl_update_range(const hl_optimizer *optimizer, const hl_update_constants *update, bool decay,
                             int64_t begin, int64_t end);

/* The constants of update number optimizer->step, and the functions that apply them. */
hl_update_constants hl_adam_constants(const hl_optimizer *optimizer, double learning_rate);
hl_update_range hl_adam_range;

hl_update_constants hl_sgd_constants(const hl_optimizer *optimizer, double learning_rate);
hl_update_range hl_sgd_range;

#endif
