#include "data/private/task_parts.h"

/* Slot i fetches x_i. The answers come after the input, because y_i = x_i at the same position needs no attention. */
static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_slots_draw(spec, n, draw, example);
    for (int64_t i = 0; i < n; i++) {
        hl_slots_answer(n, i, i, example);
    }
}

const hl_task hl_task_copy = {
    .name = "copy",
    .summary =
        "read x_1 .. x_n, then write it out in as many mask slots: each slot fetches the token n + 1 positions back",
    .keys = { "length", "min_length", "symbols" },
    .n_tokens = hl_slots_n_tokens,
    .make = make,
};
