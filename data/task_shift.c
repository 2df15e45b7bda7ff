#include "data/private/task_parts.h"

/* Slot i (from 0) fetches x at (i + shift) mod n. This is a rotation, so every slot has a source. */
static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_slots_draw(spec, n, draw, example);
    int64_t shift = (spec->shift % n + n) % n;
    for (int64_t i = 0; i < n; i++) {
        hl_slots_answer(n, i, (i + shift) % n, example);
    }
}

const hl_task hl_task_shift = {
    .name = "shift",
    .summary =
        "read x_1 .. x_n, then write it out rotated by k = shift: slot i fetches the symbol k places on, cyclically",
    .keys = { "length", "min_length", "symbols", "shift" },
    .n_tokens = hl_slots_n_tokens,
    .make = make,
};
