/* Figures of numbers with names as horizontal bars, such as what each part of a model adds to a logit.
 *
 *     hl_bar bars[] = { { "L1H0", 2.08, 0.08 }, { "embedding", -0.4, 0.02 } };
 *     hl_bar_picture picture = { .title = "runs/copy_task", .bars = bars, .n_bars = 2 };
 *     HL_TRY(hl_bar_picture_print(&picture, HL_SVG, 0, &bytes)); // the content of a file
 *
 * Drawn by cairo in DejaVu Sans on white. A bar begins at a line for 0 and ends at its value, which is written beside
 * it, so that no reader has to distinguish colours. The same picture gives the same bytes. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "show/drawing.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_bar {
    char name[64];
    double value; /* finite */
    double error; /* a line of this length to both sides of the bar's end; not finite: none */
} hl_bar;

/* Nothing in it is owned. */
typedef struct hl_bar_picture {
    const char *title;  /* above the bars */
    const hl_bar *bars; /* (n_bars), from top to bottom */
    int64_t n_bars;
    const char *caption; /* below them; NULL: none */
} hl_bar_picture;

enum { HL_BAR_MOST = 4096 };

/* Adds the figure, some six inches wide, as a file of that format (hl_drawing_print). HL_INVALID: no bar or more than
 * HL_BAR_MOST, a value that is not finite, dpi. HL_NO_MEMORY; HL_FAILED with cairo's words. On failure bytes may have
 * been added. */
hl_status hl_bar_picture_print(const hl_bar_picture *picture, hl_picture_format format, double dpi, hl_text *bytes);

HL_END_DECLS
