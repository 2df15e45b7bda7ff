#include "optim/clip.h"

#include "core/reduce.h"
#include "core/threads.h"

#include <math.h>
#include <stddef.h>

static void scale(int threads, int64_t n, hl_real factor, hl_real *x)
{
#pragma omp parallel for schedule(static) num_threads(hl_threads_for(threads, n))
    for (int64_t i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

double hl_clip_gradients(int threads, hl_parameters *parameters, double max_norm)
{
    double norm = sqrt(hl_sum_squares(threads, parameters->grads, parameters->count));
    double factor = max_norm / (norm + 1e-6);
    if (max_norm > 0 && isfinite(norm) && factor < 1) {
        scale(threads, parameters->count, (hl_real)factor, parameters->grads);
    }
    return norm;
}

const hl_parameter *hl_clip_find_not_finite(const hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++) {
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
