#include "data/private/task_parts.h"

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_slots_draw(spec, n, draw, example);
    for (int64_t i = 0; i < n; i++) {
        hl_slots_answer(n, i, n - 1 - i, example);
    }
}

const hl_task hl_task_reverse = {
    .name = "reverse",
    .summary = "read x_1 .. x_n, then write it out backwards: slot i fetches x_{n+1-i}",
    .keys = { "length", "min_length", "symbols" },
    .n_tokens = hl_slots_n_tokens,
    .make = make,
};
