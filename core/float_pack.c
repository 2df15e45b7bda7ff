#include "core/private/panel_pack.h"
#include "core/small_matmul.h"

#include <stddef.h>
#include <string.h>

static void pack_rows(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y, int64_t panel)
{
    hl_real *first = y;
    for (int64_t r = 0; r < n; r++) {
        for (int64_t i = 0; i < width; i += HL_PANEL) {
            int64_t count = width - i < HL_PANEL ? width - i : HL_PANEL;
            memcpy(first + i / HL_PANEL * panel + r * HL_PANEL, x + r * stride + i, (size_t)count * sizeof *x);
        }
    }
}

static void pack_panel(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y)
{
    hl_transpose(n, width, 1, x, stride, y, HL_PANEL);
}

const hl_packers *hl_float_packers(void)
{
    static const hl_packers packers = { .rows = pack_rows, .panel = pack_panel };
    return &packers;
}
