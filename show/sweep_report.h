/* ablation.html: the chart and the table of a sweep, as one page that needs no other files and no scripts. Every row of
 * the table opens the patterns of all heads in one of its runs. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/text_grid.h"

#include <stdbool.h>

HL_BEGIN_DECLS

/* What a row of the table opens. Nothing is owned. */
typedef struct hl_sweep_run {
    const char *name;         /* of the run, as in "heads=8,seed=1" */
    const char *report;       /* the path of its own report, relative to the page; NULL: it has none */
    const hl_text *maps;      /* a PNG of its heads' patterns; NULL: `missing` is shown instead */
    const hl_text *dark_maps; /* the same for a dark screen; only read if there are maps */
    const char *missing;      /* why there are no maps */
    bool base;                /* whether this is the row of the base config */
} hl_sweep_run;

/* Nothing is owned. */
typedef struct hl_sweep_report {
    const char *title, *command; /* what was swept, and how */
    const hl_text_grid *table;
    const char *notes;                   /* about the columns; one paragraph per line */
    const hl_text *chart, *narrow_chart; /* as SVG; the second for screens of at most 520 pixels */
    const hl_sweep_run *runs;            /* one for every row of the table except the titles */
} hl_sweep_report;

/* Adds the whole file to the text. Texts may hold any bytes, which are shown and never interpreted. The same input
 * gives the same bytes. HL_NO_MEMORY. */
hl_status hl_sweep_report_write(const hl_sweep_report *report, hl_text *text);

HL_END_DECLS
