#include "data/task_parts.h"

/* Orders the positions 0 .. n - 1 by their tokens, equal ones by position. Quadratic, as is the attention that reads
 * the example, and without memory of its own. */
static void sort_positions(int64_t n, const int32_t *tokens, int32_t *positions)
{
    for (int32_t i = 0; i < n; i++) {
        int64_t place = i;
        while (place > 0 && tokens[positions[place - 1]] > tokens[i]) {
            positions[place] = positions[place - 1];
            place--;
        }
        positions[place] = i;
    }
}

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_slots_draw(spec, n, draw, example);
    const int32_t *sorted = example.sources + n + 1;
    sort_positions(n, example.tokens, example.sources + n + 1);
    for (int64_t i = 0; i < n; i++) {
        hl_slots_answer(n, i, sorted[i], example);
    }
}

const hl_task hl_task_sort = {
    .name = "sort",
    .summary = "read x_1 .. x_n, then write it out in the order of the alphabet; equal symbols keep their order",
    .keys = { "length", "min_length", "symbols" },
    .size_key = "min_length",
    .check = hl_sequence_check,
    .sizes = hl_sequence_sizes,
    .n_tokens = hl_slots_n_tokens,
    .vocabulary = hl_sequence_vocabulary,
    .make = make,
};
