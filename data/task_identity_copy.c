#include "data/private/task_parts.h"

/* A control: embedding, residual stream and output layer solve it alone. So there is no source, and its heads show what
 * heads do when nothing depends on them. */
static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_sequence_draw(spec, n, draw, example.tokens);
    for (int64_t i = 0; i < n; i++) {
        example.targets[i] = example.tokens[i];
    }
}

const hl_task hl_task_identity_copy = {
    .name = "identity_copy",
    .summary = "control: answer x_i at position i itself, which needs no attention, so its heads stay noise",
    .keys = { "length", "min_length", "symbols" },
    .make = make,
};
