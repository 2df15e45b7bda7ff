#include "layers/dropout.h"

#include "core/op_dropout.h"
#include "core/random.h"

#include <stdio.h>

hl_dropout_layer hl_dropout_layer_make(hl_name name, hl_real p)
{
    char use[HL_NAME_TEXT + 16];
    snprintf(use, sizeof use, "dropout %s", name.text);
    return (hl_dropout_layer){ .name = name, .p = p, .stream = hl_random_stream(use) };
}

hl_tensor *hl_dropout_layer_forward(hl_tape *tape, const hl_dropout_layer *layer, hl_tensor *x)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *y = hl_dropout(tape, x, layer->p, layer->stream);
    hl_tape_scope(tape, before);
    return y;
}
