#include "optim/update.h"

#include <tgmath.h>

hl_update hl_adam_update(const hl_optimizer *optimizer, double learning_rate)
{
    const hl_optimizer_options *options = &optimizer->options;
    double t = (double)optimizer->step;
    bool decoupled = options->name == HL_ADAMW;
    return (hl_update){
        .rate = (hl_real)(learning_rate / (1 - pow(options->beta1, t))),
        .l2 = (hl_real)(decoupled ? 0 : options->weight_decay),
        .keep = (hl_real)(decoupled ? 1 - learning_rate * options->weight_decay : 1),
        .beta1 = (hl_real)options->beta1,
        .beta1_rest = (hl_real)(1 - options->beta1),
        .beta2 = (hl_real)options->beta2,
        .beta2_rest = (hl_real)(1 - options->beta2),
        .root_scale = (hl_real)(1 / sqrt(1 - pow(options->beta2, t))),
        .epsilon = (hl_real)options->epsilon,
    };
}

/* One loop for Adam and AdamW: the constant of the decay that is not meant is 0 or 1 and changes nothing, and the loop
 * waits for memory, not for arithmetic. */
void hl_adam_range(const hl_optimizer *optimizer, const hl_update *update, bool decay, int64_t begin, int64_t end)
{
    hl_real *restrict values = optimizer->parameters->values;
    const hl_real *restrict grads = optimizer->parameters->grads;
    hl_real *restrict m = optimizer->m;
    hl_real *restrict v = optimizer->v;
    const hl_update u = *update;
    const hl_real l2 = decay ? u.l2 : 0;
    const hl_real keep = decay ? u.keep : 1;
    for (int64_t i = begin; i < end; i++) {
        hl_real g = grads[i] + l2 * values[i];
        hl_real mean = u.beta1 * m[i] + u.beta1_rest * g;
        hl_real square = u.beta2 * v[i] + u.beta2_rest * (g * g);
        m[i] = mean;
        v[i] = square;
        values[i] = keep * values[i] - u.rate * (mean / (sqrt(square) * u.root_scale + u.epsilon));
    }
}
