/* The rows of a sweep's table: a summary of each variant's trainings. */
#pragma once

#include "programs/ablate/plan.h"
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
