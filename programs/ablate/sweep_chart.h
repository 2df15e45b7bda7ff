/* The chart of a sweep, with a row for every variant. Side by side for the validation loss and the accuracy, it shows
 * every training as a dot, their mean, and its 95% confidence interval as a bar. A dashed line continues the base's
 * mean.
 *
 * Drawn by cairo in DejaVu Sans. The same chart gives the same bytes. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "programs/ablate/statistics.h"
#include "show/drawing.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_SWEEP_LOSS, HL_SWEEP_ACCURACY, HL_SWEEP_MEASURES };

/* Nothing is owned. */
typedef struct hl_sweep_variant {
    const char *name; /* "heads=8" */
    bool base;
    int64_t n;                                /* the number of finished trainings; may be 0 */
    const double *values[HL_SWEEP_MEASURES];  /* (n) each, finite; accuracies 0 .. 1 */
    hl_interval intervals[HL_SWEEP_MEASURES]; /* of the same values */
} hl_sweep_variant;

typedef struct hl_sweep_chart {
    const hl_sweep_variant *variants; /* (n), from top to bottom; n >= 1 */
    int64_t n;
    const char *caption; /* below; NULL: none */
    bool narrow;         /* for a phone: the accuracy is below the loss instead of beside it */
} hl_sweep_chart;

/* Adds the content of a file of that format (hl_drawing_print). The axes cover all dots; bars beyond an axis are cut.
 * If the picture would be too tall, dpi is reduced. HL_INVALID: no variants, too many for a picture, dpi. HL_NO_MEMORY;
 * HL_FAILED with cairo's words. */
hl_status hl_sweep_chart_print(const hl_sweep_chart *chart, hl_picture_format format, double dpi, hl_text *bytes);
