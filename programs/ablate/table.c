#include "programs/ablate/table.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "programs/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is known of a variant ---- */

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

#define PLUS_MINUS "\xc2\xb1"

enum { CELL = 64 };

typedef struct cell {
    char text[CELL];
} cell;

/* ---- cells ---- */

/* "0.1234 ±0.0123"; "-" where nothing is known. */
static cell interval_cell(hl_interval interval, double scale, int decimals)
{
    cell c = { "-" };
    char mean[HL_UNITS_TEXT], half[HL_UNITS_TEXT];
    if (interval.n >= 2 && isfinite(interval.mean)) {
        snprintf(c.text, sizeof c.text, "%s " PLUS_MINUS "%s", hl_units_number(scale * interval.mean, decimals, mean),
                 hl_units_number(scale * interval.half_width, decimals, half));
    } else if (interval.n == 1) {
        hl_units_number(scale * interval.mean, decimals, c.text);
    }
    return c;
}

/* "183 ±29 (3/3)". */
static cell target_cell(const hl_ablate_row *row)
{
    hl_interval reached = row->intervals[HL_ABLATE_STEPS_TO_TARGET];
    cell c, mean = interval_cell(reached, 1, 0);
    snprintf(c.text, sizeof c.text, "%.40s (%" PRId64 "/%" PRId64 ")", mean.text, reached.n,
             row->intervals[HL_ABLATE_LOSS].n);
    return c;
}

static cell p_cell(double p)
{
    cell c = { "-" };
    if (p < 0.001) {
        snprintf(c.text, sizeof c.text, "<0.001");
    } else if (isfinite(p)) {
        snprintf(c.text, sizeof c.text, "%.3f", p);
    }
    return c;
}

/* "87.91 M". */
static cell flops_cell(double flops)
{
    cell c;
    char text[HL_UNITS_TEXT];
    hl_units_flops(flops, text);
    snprintf(c.text, sizeof c.text, "%.*s", (int)(strlen(text) - strlen("FLOP")), text);
    return c;
}

/* ---- rows ---- */

/* What the table is of, and which keys have a column: heads, d_k and d_v, then the others that vary. */
typedef struct table {
    const hl_ablate_plan *plan;
    const hl_ablate_summary *summary;
    double target;
    const hl_config_key *keys[HL_ABLATE_MAX_KEYS + 3];
    int n_keys;
} table;

static void find_keys(table *t)
{
    t->keys[t->n_keys++] = hl_config_key_at(offsetof(hl_config, model.heads));
    t->keys[t->n_keys++] = hl_config_key_at(offsetof(hl_config, model.d_k));
    t->keys[t->n_keys++] = hl_config_key_at(offsetof(hl_config, model.d_v));
    for (int k = 0; k < t->plan->n_keys; k++) {
        const hl_config_key *key = t->plan->keys[k];
        if (key != t->keys[0] && key != t->keys[1] && key != t->keys[2]) {
            t->keys[t->n_keys++] = key;
        }
    }
}

static void row_of(const void *context, int64_t v, hl_row *to)
{
    const table *t = context;
    const hl_ablate_variant *variant = &t->plan->variants[v];
    const hl_ablate_row *row = &t->summary->rows[v];
    char name[8] = "", to_target[48];
    if (variant->row != 0) {
        snprintf(name, sizeof name, "(%c)", variant->row);
    }
    snprintf(to_target, sizeof to_target, "steps to %.6g%%", 100 * t->target);
    hl_row_text(to, "", NULL, "%s", row->base ? "base" : name);
    for (int k = 0; k < t->n_keys; k++) {
        char value[HL_ABLATE_VALUE_TEXT];
        hl_ablate_key_value(t->keys[k], &variant->config, value);
        hl_row_text(to, k == 0 ? "h" : hl_ablate_key_label(t->keys[k]), NULL, "%s", value);
    }
    hl_row_text(to, "parameters", NULL, "%s", HL_COUNT(variant->parameters));
    hl_row_text(to, "FLOP/step", NULL, "%s", flops_cell(variant->flops).text);
    hl_row_text(to, "validation loss", NULL, "%s", interval_cell(row->intervals[HL_ABLATE_LOSS], 1, 4).text);
    hl_row_text(to, "p", NULL, "%s", p_cell(row->p).text);
    hl_row_text(to, "perplexity", NULL, "%s", interval_cell(row->intervals[HL_ABLATE_PERPLEXITY], 1, 3).text);
    hl_row_text(to, "accuracy %", NULL, "%s", interval_cell(row->intervals[HL_ABLATE_ACCURACY], 100, 2).text);
    hl_row_text(to, to_target, NULL, "%s", target_cell(row).text);
    hl_row_text(to, "seconds", NULL, "%s", interval_cell(row->intervals[HL_ABLATE_SECONDS], 1, 1).text);
}

hl_status hl_ablate_table_make(const hl_ablate_plan *plan, const hl_ablate_summary *summary, double target,
                               hl_text_grid *grid)
{
    table t = { .plan = plan, .summary = summary, .target = target };
    find_keys(&t);
    return hl_results_grid(grid, (hl_results){ row_of, &t, plan->n_variants });
}

/* ---- notes ---- */

void hl_ablate_table_notes(const hl_ablate_plan *plan, const hl_ablate_result *results, double target, int width,
                           hl_text *text)
{
    if (plan->seeds > 1) {
        hl_text_paragraph(
            text, width,
            "Means with 95%% confidence intervals over the runs with %" PRId64 " seeds (Student's t), at "
            "their last validation. p: two-sided paired t test of the validation loss against the base at "
            "equal seeds, not corrected for the number of rows.",
            plan->seeds);
    } else {
        hl_text_paragraph(text, width,
                          "One seed tells nothing of chance: give --seeds 3 or more. Figures are those of "
                          "the last validation.");
    }
    hl_text_paragraph(text, width,
                      "Steps to %.6g%%: the first validation with that accuracy, the mean of the runs that reached it, "
                      "and how many did. Seconds: by the clock, beside the other runs that went on; speed itself is "
                      "what the program bench measures.",
                      100 * target);
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        if (results[i].state == HL_ABLATE_FAILED) {
            hl_text_print(text, "Failed and left out: %s\n", hl_ablate_plan_name(plan, i).text);
        }
    }
}
