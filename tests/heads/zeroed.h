/* Removes heads from a model by setting to zero the columns of W_O that multiply their outputs. */
#pragma once

#include "layers/model.h"

#include <string.h>

/* kept: one bool a head, by layer and head. */
static inline void zero_out(hl_model *zeroed, const bool *kept)
{
    const hl_model_config *c = &zeroed->config;
    for (int l = 0; l < c->n_layers; l++) {
        hl_real *W = zeroed->encoder.layers[l].self_attn.out_proj.weight->data;
        int64_t H = c->heads[l], width = c->d_v[l];
        for (int64_t i = 0; i < c->d_model * H; i++) {
            if (!kept[i % H]) {
                memset(W + i * width, 0, (size_t)width * sizeof *W);
            }
        }
        kept += H;
    }
}

/* A second model with the same numbers. To be freed by hl_model_free. */
static inline hl_model copied_model(const hl_model *original)
{
    hl_model copy;
    if (hl_model_init(&copy, &original->config).code == HL_OK && hl_model_allocate(&copy, 1).code == HL_OK) {
        memcpy(copy.parameters.values, original->parameters.values, (size_t)copy.parameters.count * sizeof(hl_real));
    }
    return copy;
}
