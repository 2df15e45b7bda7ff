#include "optim/private/update.h"

hl_update_constants hl_sgd_constants(const hl_optimizer *optimizer, double learning_rate)
{
    return (hl_update_constants){ .rate = (hl_real)learning_rate, .l2 = (hl_real)optimizer->options.weight_decay };
}

void hl_sgd_range(const hl_optimizer *optimizer, const hl_update_constants *update, bool decay, int64_t begin,
                  int64_t end)
{
    hl_real *restrict values = optimizer->parameters->values;
    const hl_real *restrict grads = optimizer->parameters->grads;
    const hl_real rate = update->rate;
    const hl_real l2 = decay ? update->l2 : 0;
    for (int64_t i = begin; i < end; i++) {
        values[i] -= rate * (grads[i] + l2 * values[i]);
    }
}
