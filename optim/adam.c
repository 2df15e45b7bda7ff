#include "optim/private/update.h"

#include <tgmath.h>

hl_update_constants hl_adam_constants(const hl_optimizer *optimizer, double learning_rate)
{
    const hl_optimizer_options *options = &optimizer->options;
    double t = (double)optimizer->step;
    bool decoupled = options->name == HL_ADAMW;
    return (hl_update_constants){
        .rate = (hl_real)(learning_rate / (1 - pow(options->beta1, t))),
        .l2 = (hl_real)(decoupled ? 0 : options->weight_decay),
        .shrink = (hl_real)(decoupled ? learning_rate * options->weight_decay : 0),
        .beta1 = (hl_real)options->beta1,
        .beta1_rest = (hl_real)(1 - options->beta1),
        .beta2 = (hl_real)options->beta2,
        .beta2_rest = (hl_real)(1 - options->beta2),
        .root_scale = (hl_real)(1 / sqrt(1 - pow(options->beta2, t))),
        .epsilon = (hl_real)options->epsilon,
    };
}

/* keep * old + rest * x with rest = 1 - keep. That form would round twice, and its two constants, rounded separately,
 * do not add up to 1: at a beta2 of 0.999 squares would be 1e-5 too large. Moving from the nearer of the two numbers
 * loses nothing. */
static inline hl_real moved(hl_real old, hl_real x, hl_real keep, hl_real rest)
{
    return rest < keep ? old + rest * (x - old) : x + keep * (old - x);
}

/* One loop for Adam and AdamW: the decay that does not apply has the constant 0. The loop waits for memory, so the
 * additional arithmetic costs no time. */
void hl_adam_range(const hl_optimizer *optimizer, const hl_update_constants *update, bool decay, int64_t begin,
                   int64_t end)
{
    hl_real *restrict values = optimizer->parameters->values;
    const hl_real *restrict grads = optimizer->parameters->grads;
    hl_real *restrict m = optimizer->m;
    hl_real *restrict v = optimizer->v;
    const hl_update_constants u = *update;
    const hl_real l2 = decay ? u.l2 : 0;
    const hl_real shrink = decay ? u.shrink : 0;
    for (int64_t i = begin; i < end; i++) {
        hl_real g = grads[i] + l2 * values[i];
        m[i] = moved(m[i], g, u.beta1, u.beta1_rest);
        v[i] = moved(v[i], g * g, u.beta2, u.beta2_rest);
        hl_real direction = m[i] / (sqrt(v[i]) * u.root_scale + u.epsilon);
        values[i] -= shrink * values[i] + u.rate * direction;
    }
}
