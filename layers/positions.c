#include "layers/positions.h"

#include "core/base/memory.h"

#include <math.h>

hl_positions_layer hl_positions_layer_make(hl_parameters *parameters, hl_name name, hl_positions_kind kind,
                                           int64_t max_length, int64_t offset, int64_t d_model)
{
    hl_positions_layer layer = {
        .name = name, .kind = kind, .max_length = max_length, .offset = offset, .d_model = d_model
    };
    if ((unsigned)kind > HL_POSITIONS_ROTARY) {
        hl_parameters_fail(parameters, hl_error(HL_INVALID, "%s: unknown kind number %d", name.text, (int)kind));
    }
    if (kind == HL_POSITIONS_LEARNED) {
        layer.weight = hl_name_table(parameters, name, max_length + offset, d_model, (hl_real)0.02);
    }
    return layer;
}

void hl_sinusoidal_positions(int64_t T, int64_t D, hl_real *table)
{
    for (int64_t p = 0; p < T; p++) {
        for (int64_t d = 0; d < D; d++) {
            double angle = (double)p * pow(10000, -(double)(d - d % 2) / (double)D);
            table[p * D + d] = (hl_real)(d % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
}

hl_status hl_positions_layer_allocate(hl_positions_layer *layer)
{
    if (layer->kind == HL_POSITIONS_SINUSOIDAL) {
        layer->table = hl_calloc((size_t)layer->max_length, (size_t)layer->d_model * sizeof *layer->table);
        HL_NEED(layer->table != NULL, "the table of positions");
        hl_sinusoidal_positions(layer->max_length, layer->d_model, layer->table);
    }
    return hl_ok();
}

void hl_positions_layer_free(hl_positions_layer *layer)
{
    hl_free(layer->table);
    layer->table = NULL;
}

hl_tensor *hl_positions_layer_vectors(hl_tape *tape, const hl_positions_layer *layer)
{
    if (layer->kind == HL_POSITIONS_SINUSOIDAL) {
        return hl_tape_tensor(tape, HL_SHAPE(layer->max_length, layer->d_model), layer->table, false);
    }
    return layer->offset > 0 ? hl_tape_parameter_rows(tape, layer->weight, layer->offset, layer->max_length)
                             : layer->weight;
}
