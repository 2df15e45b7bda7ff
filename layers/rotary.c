#include "layers/rotary.h"

#include "core/base/memory.h"
#include "core/ops/rotate.h"

size_t hl_rotary_bytes(const hl_rotary *rotary)
{
    return hl_size_product((size_t)rotary->max_length, (size_t)(rotary->width / 2 * 2) * sizeof *rotary->table);
}

hl_status hl_rotary_allocate(hl_rotary *rotary)
{
    rotary->table = hl_malloc(hl_size_sum(hl_rotary_bytes(rotary), 1)); /* heads of width 1 have no angles */
    HL_NEED(rotary->table != NULL, "the table of rotary positions");
    hl_rotate_table(rotary->max_length, rotary->width, rotary->theta > 0 ? rotary->theta : HL_ROTARY_THETA,
                    rotary->table);
    return hl_ok();
}

void hl_rotary_free(hl_rotary *rotary)
{
    hl_free(rotary->table);
    rotary->table = NULL;
}

hl_tensor *hl_rotary_forward(hl_tape *tape, const hl_rotary *rotary, hl_tensor *x, int64_t n_heads,
                             const int32_t *positions, int64_t longest)
{
    return hl_rotate(tape, (hl_rotate_args){ .x = x,
                                             .n_heads = n_heads,
                                             .width = rotary->width,
                                             .table = rotary->table,
                                             .n_positions = rotary->max_length,
                                             .positions = positions,
                                             .longest = longest });
}
