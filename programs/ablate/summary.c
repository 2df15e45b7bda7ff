#include "programs/ablate/summary.h"

#include "core/base/memory.h"

#include <math.h>

static const double CONFIDENCE = 0.95;

/* Adds the value where it is known. */
static void collect(double *values, int64_t *n, double value)
{
    if (isfinite(value)) {
        values[(*n)++] = value;
    }
}

/* `of` are the results of the variant's seeds; `scratch` has room for as many numbers. */
static void fill_row(const hl_ablate_result *of, int64_t seeds, double *scratch, hl_ablate_row *row)
{
    for (int64_t i = 0; i < seeds; i++) {
        if (of[i].state == HL_ABLATE_DONE) {
            row->losses[row->n] = of[i].loss;
            row->accuracies[row->n++] = of[i].accuracy;
        }
    }
    row->loss = hl_interval_of(row->losses, row->n, CONFIDENCE);
    row->accuracy = hl_interval_of(row->accuracies, row->n, CONFIDENCE);
    for (int64_t i = 0; i < row->n; i++) {
        scratch[i] = exp(row->losses[i]);
    }
    row->perplexity = hl_interval_of(scratch, row->n, CONFIDENCE);
    int64_t n = 0;
    for (int64_t i = 0; i < seeds; i++) {
        collect(scratch, &n, of[i].state == HL_ABLATE_DONE ? of[i].seconds : NAN);
    }
    row->seconds = hl_interval_of(scratch, n, CONFIDENCE);
    n = 0;
    for (int64_t i = 0; i < seeds; i++) {
        bool reached = of[i].state == HL_ABLATE_DONE && of[i].steps_to_target >= 0;
        collect(scratch, &n, reached ? (double)of[i].steps_to_target : NAN);
    }
    row->steps_to_target = hl_interval_of(scratch, n, CONFIDENCE);
}

static double compare(const hl_ablate_result *of, const hl_ablate_result *base, int64_t seeds, double *scratch)
{
    double *own = scratch, *bases = scratch + seeds;
    int64_t n = 0;
    for (int64_t i = 0; i < seeds; i++) {
        if (of[i].state == HL_ABLATE_DONE && base[i].state == HL_ABLATE_DONE) {
            own[n] = of[i].loss;
            bases[n++] = base[i].loss;
        }
    }
    return of != base ? hl_paired_test(own, bases, n) : NAN;
}

hl_status hl_ablate_summary_make(const hl_ablate_plan *plan, const hl_ablate_result *results,
                                 hl_ablate_summary *summary)
{
    int64_t seeds = plan->seeds, cells = hl_ablate_plan_cells(plan);
    summary->rows = hl_calloc((size_t)plan->n_variants, sizeof *summary->rows);
    summary->values = hl_calloc((size_t)(2 * cells + 2 * seeds), sizeof *summary->values);
    HL_NEED(summary->rows != NULL && summary->values != NULL, "the table");
    double *scratch = summary->values + 2 * cells;
    for (int64_t v = 0; v < plan->n_variants; v++) {
        hl_ablate_row *row = &summary->rows[v];
        row->losses = summary->values + 2 * v * seeds;
        row->accuracies = row->losses + seeds;
        fill_row(results + v * seeds, seeds, scratch, row);
        row->p = compare(results + v * seeds, results + plan->base * seeds, seeds, scratch);
    }
    return hl_ok();
}

void hl_ablate_summary_free(hl_ablate_summary *summary)
{
    hl_free(summary->rows);
    hl_free(summary->values);
    *summary = (hl_ablate_summary){ 0 };
}
