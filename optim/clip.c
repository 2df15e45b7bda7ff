#include "optim/clip.h"

#include "core/kernels/grad.h"
#include "core/kernels/private/reduce.h"

#include <math.h>
#include <stddef.h>

double hl_clip_gradients(int threads, hl_parameters *parameters, double max_norm)
{
    if (parameters->grads == NULL) {
        return NAN;
    }
    double norm = sqrt(hl_sum_squares(threads, parameters->grads, parameters->count));
    double factor = max_norm / (norm + 1e-6);
    if (max_norm > 0 && isfinite(norm) && factor < 1) {
        hl_grad_scale(threads, parameters->count, (hl_real)factor, parameters->grads,
                      (hl_grad){ parameters->grads, false });
    }
    return norm;
}

const hl_parameter *hl_clip_find_not_finite(const hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n && parameters->grads != NULL; i++) {
        const hl_parameter *parameter = &parameters->list[i];
        const hl_real *grads = parameters->grads + parameter->offset;
        for (int64_t j = 0; j < parameter->count; j++) {
            if (!isfinite(grads[j])) {
                return parameter;
            }
        }
    }
    return NULL;
}
