#include "programs/ablate/summary.h"

#include "core/base/memory.h"

#include <math.h>

static const double CONFIDENCE = 0.95;

/* `of` are the results of the variant's seeds; `values` has room for all their measures. */
static void fill_row(const hl_ablate_result *of, int64_t seeds, double *values, hl_ablate_row *row)
{
    for (int m = 0; m < HL_ABLATE_MEASURES; m++) {
        int64_t n = 0;
        for (int64_t i = 0; i < seeds; i++) {
            double value = hl_ablate_measured(&of[i], (hl_ablate_measure)m);
            if (!isnan(value)) {
                values[n++] = value;
            }
        }
        row->values[m] = values;
        row->intervals[m] = hl_interval_of(values, n, CONFIDENCE);
        values += n;
    }
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
    int64_t seeds = plan->seeds, each = HL_ABLATE_MEASURES * seeds;
    summary->rows = hl_calloc((size_t)plan->n_variants, sizeof *summary->rows);
    summary->values = hl_calloc((size_t)(plan->n_variants * each + 2 * seeds), sizeof *summary->values);
    HL_NEED(summary->rows != NULL && summary->values != NULL, "the table");
    double *scratch = summary->values + plan->n_variants * each;
    for (int64_t v = 0; v < plan->n_variants; v++) {
        hl_ablate_row *row = &summary->rows[v];
        row->name = plan->variants[v].values;
        row->base = v == plan->base;
        fill_row(results + v * seeds, seeds, summary->values + v * each, row);
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
