#include "core/private/forgotten_grads.h"

#include <string.h>

/* The numbers from parameter i to the next one, or to the end: the parameter's own, and the gap behind them. */
static int64_t with_gap(const hl_parameters *parameters, int i)
{
    int64_t end = i + 1 < parameters->n ? parameters->list[i + 1].offset : parameters->count;
    return end - parameters->list[i].offset;
}

void hl_forgotten_grads_begin(hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++) {
        hl_tensor *tensor = parameters->list[i].tensor;
        int64_t count = parameters->list[i].count, gap = with_gap(parameters, i) - count;
        memset(tensor->grad + count, 0, (size_t)gap * sizeof(hl_real)); /* no op writes there */
        tensor->grad_written = false;
    }
}

void hl_forgotten_grads_end(hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++) {
        hl_tensor *tensor = parameters->list[i].tensor;
        if (!tensor->grad_written) {
            memset(tensor->grad, 0, (size_t)parameters->list[i].count * sizeof(hl_real));
            tensor->grad_written = true;
        }
    }
}
