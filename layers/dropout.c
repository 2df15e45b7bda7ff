#include "layers/dropout.h"

#include "core/kernels/random.h"
#include "core/ops/dropout.h"

#include <stdio.h>

hl_dropout_layer hl_dropout_layer_make(hl_name name, hl_real p)
{
    char use[HL_NAME_TEXT + 16];
    snprintf(use, sizeof use, "dropout %s", name.text);
    return (hl_dropout_layer){ .name = name, .p = p, .stream = hl_random_stream(use) };
}

hl_tensor *hl_dropout_layer_forward(hl_tape *tape, const hl_dropout_layer *layer, hl_tensor *x)
{
    return hl_dropout_layer_rows(tape, layer, x, NULL, 0);
}

hl_tensor *hl_dropout_layer_rows(hl_tape *tape, const hl_dropout_layer *layer, hl_tensor *x, const int32_t *rows,
                                 int32_t base)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *y = hl_dropout_rows(tape, x, layer->p, layer->stream, rows, base);
    hl_tape_scope(tape, before);
    return y;
}
