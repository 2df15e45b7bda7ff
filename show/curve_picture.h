/* Figures that show how some quantities change from row to row of a table: small charts below each other, with one
 * axis.
 *
 *     hl_curve curves[] = { { "loss", losses }, { "accuracy", accuracies } };
 *     hl_curve_picture picture = { .curves = curves, .n_curves = 2, .rows = rows, .n_rows = 8, .axis = "heads left" };
 *     HL_TRY(hl_curve_picture_print(&picture, HL_SVG, 0, &bytes)); // the content of a file
 *
 * Drawn by cairo in DejaVu Sans, in one dark colour on white with a dot for every number, so that no reader has to
 * distinguish colours. The same picture gives the same bytes. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "show/drawing.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* A mark beside the curve: one value of a row. The curve may be the mean of such values. */
typedef struct hl_curve_dot {
    int64_t row;
    double value; /* finite, at least 0 */
} hl_curve_dot;

/* Nothing in it is owned. */
typedef struct hl_curve {
    const char *name;         /* above the chart */
    const double *values;     /* (n_rows), finite, at least 0, where the axis begins */
    const hl_curve_dot *dots; /* (n_dots); NULL: none */
    int64_t n_dots;
} hl_curve;

typedef struct hl_curve_row {
    char name[64];
} hl_curve_row;

typedef struct hl_curve_picture {
    const hl_curve *curves;
    int n_curves;
    const hl_curve_row *rows; /* (n_rows): from left to right below the last chart */
    int64_t n_rows;
    const char *axis;    /* what the rows are */
    const char *caption; /* below all; NULL: none */
} hl_curve_picture;

enum { HL_CURVE_MOST_ROWS = 4096 };

/* Adds the figure, about six inches wide, as a file of that format (hl_drawing_print). If a row's name has more than
 * three letters, all names are turned. If names would overlap, only every second, third, ... name is shown. HL_INVALID:
 * no curve, no row or too many, a value that is not finite or below 0, dpi. HL_NO_MEMORY; HL_FAILED with cairo's words.
 * On failure bytes may have been added. */
hl_status hl_curve_picture_print(const hl_curve_picture *picture, hl_picture_format format, double dpi, hl_text *bytes);

HL_END_DECLS
