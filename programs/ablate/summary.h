/* The rows of a sweep's table: a summary of each variant's trainings. */
#pragma once

#include "programs/ablate/plan.h"
#include "programs/ablate/result.h"
#include "programs/ablate/statistics.h"

/* Means and 95% intervals over the variant's finished trainings. */
typedef struct hl_ablate_row {
    int64_t n;                   /* the number of finished trainings */
    double *losses, *accuracies; /* (n), by seed; owned by the summary */
    hl_interval loss, perplexity, accuracy, seconds;
    hl_interval steps_to_target; /* of the trainings that reached it */
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
