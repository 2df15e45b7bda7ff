#include "core/kernels/private/panel_pack.h"
#include "core/kernels/small_matmul.h"

#include <stddef.h>
#include <string.h>

/* Works panel by panel, so that the writes form one stream. */
static void pack_rows(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y, int64_t panel)
{
    for (int64_t i = 0; i < width; i += HL_PANEL) {
        hl_real *to = (hl_real *)y + i / HL_PANEL * panel;
        int64_t count = width - i < HL_PANEL ? width - i : HL_PANEL;
        for (int64_t r = 0; r < n; r++) {
            if (count == HL_PANEL) { /* with a constant count, the copy is a few vector moves */
                memcpy(to + r * HL_PANEL, x + r * stride + i, HL_PANEL * sizeof *x);
            } else {
                memcpy(to + r * HL_PANEL, x + r * stride + i, (size_t)count * sizeof *x);
            }
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
