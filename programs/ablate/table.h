/* A sweep's table, in the layout of table 3 of "Attention Is All You Need". */
#pragma once

#include "core/base/text_grid.h"
#include "programs/ablate/result.h"
#include "programs/ablate/statistics.h"

/* Means and 95% intervals over the variant's finished trainings. */
typedef struct hl_ablate_row {
    const char *name; /* "heads=8"; the plan's */
    bool base;
    const double *values[HL_ABLATE_MEASURES];  /* (intervals[].n): those that are known, by seed; the summary's */
    hl_interval intervals[HL_ABLATE_MEASURES]; /* of these values */
    /* From the paired t test of the validation loss against the base, over the seeds that both have finished; NaN:
     * none. */
    double p;
} hl_ablate_row;

typedef struct hl_ablate_summary {
    hl_ablate_row *rows; /* one for each variant; owned, like `values` */
    double *values;
} hl_ablate_summary;

/* HL_NO_MEMORY. Must be freed on failure too. */
hl_status hl_ablate_summary_make(const hl_ablate_plan *plan, const hl_ablate_result *results,
                                 hl_ablate_summary *summary);

/* A zeroed or already freed summary is allowed. */
void hl_ablate_summary_free(hl_ablate_summary *summary);

/* The columns that identify a row: its name, h, d_k and d_v. */
enum { HL_ABLATE_TABLE_NAMES = 4 };

/* Makes the titles and a row for each variant: name, h, d_k, d_v and other varied keys, parameters, FLOPs and results.
 * HL_NO_MEMORY. Must be freed on failure too. */
hl_status hl_ablate_table_make(const hl_ablate_plan *plan, const hl_ablate_summary *summary, double target,
                               hl_text_grid *grid);

/* Adds an explanation of the columns, in lines of at most `width` bytes, and which trainings failed. HL_NO_MEMORY is
 * left on the text. */
void hl_ablate_table_notes(const hl_ablate_plan *plan, const hl_ablate_result *results, double target, int width,
                           hl_text *text);
