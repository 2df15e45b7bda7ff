/* The chart of a sweep, with a row for every variant. Side by side for the validation loss and the accuracy, it shows
 * every training as a dot, their mean, and its 95% confidence interval as a bar. A dashed line continues the base's
 * mean.
 *
 * Drawn by cairo in DejaVu Sans. The same chart gives the same bytes. */
#pragma once

#include "programs/ablate/table.h"
#include "show/drawing.h"

/* Nothing is owned. */
typedef struct hl_sweep_chart {
    const hl_ablate_row *rows; /* (n), from top to bottom; n >= 1. Values are finite, accuracies 0 .. 1 */
    int64_t n;
    const char *caption; /* below; NULL: none */
    bool narrow;         /* for a phone: the accuracy is below the loss instead of beside it */
} hl_sweep_chart;

/* Adds the content of a file of that format (hl_drawing_print). The axes cover all dots; bars beyond an axis are cut.
 * If the picture would be too tall, dpi is reduced. HL_INVALID: no rows, too many for a picture, dpi. HL_NO_MEMORY;
 * HL_FAILED with cairo's words. */
hl_status hl_sweep_chart_print(const hl_sweep_chart *chart, hl_picture_format format, double dpi, hl_text *bytes);
