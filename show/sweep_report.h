/* ablation.html: a sweep's chart and table as one page without other files and scripts. Every row of the
 * table opens the patterns of all heads of one of its runs. */
#ifndef HL_SHOW_SWEEP_REPORT_H
#define HL_SHOW_SWEEP_REPORT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/text_grid.h"

#include <stdbool.h>

HL_BEGIN_DECLS

/* What a row of the table opens. Nothing is owned. */
typedef struct hl_sweep_run {
    const char *name;         /* of the run, as in "heads=8,seed=1" */
    const char *report;       /* where its own report is, seen from the page; NULL: nowhere */
    const hl_text *maps;      /* a PNG of its heads' patterns; NULL: `missing` is shown instead */
    const hl_text *dark_maps; /* the same for a dark screen; read where there are maps */
    const char *missing;      /* why there are none */
    bool base;                /* whether the row is the base's */
} hl_sweep_run;

/* Nothing is owned. */
typedef struct hl_sweep_report {
    const char *title, *command; /* what was swept, and how */
    const hl_text_grid *table;
    const char *notes;                   /* on its columns; a paragraph a line */
    const hl_text *chart, *narrow_chart; /* as SVG; the second for screens of at most 520 pixels */
    const hl_sweep_run *runs;            /* one for every row of the table but the titles */
} hl_sweep_report;

/* Adds the whole file to the text. Texts may hold any bytes; they are shown, never interpreted. The same input gives
 * the same bytes. HL_NO_MEMORY. */
hl_status hl_sweep_report_write(const hl_sweep_report *report, hl_text *text);

HL_END_DECLS

#endif
