#include "programs/ablate/table.h"

#include "core/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    cell c, mean = interval_cell(row->steps_to_target, 1, 0);
    snprintf(c.text, sizeof c.text, "%.40s (%" PRId64 "/%" PRId64 ")", mean.text, row->steps_to_target.n, row->n);
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

/* ---- columns ---- */

/* The keys of the columns: heads, d_k and d_v, then the others that vary. */
static int columns_of(const hl_ablate_plan *plan, const hl_config_key *keys[HL_ABLATE_MAX_KEYS + 3])
{
    int n = 0;
    keys[n++] = hl_config_key_at(offsetof(hl_config, model.heads));
    keys[n++] = hl_config_key_at(offsetof(hl_config, model.d_k));
    keys[n++] = hl_config_key_at(offsetof(hl_config, model.d_v));
    for (int k = 0; k < plan->n_keys; k++) {
        if (plan->keys[k] != keys[0] && plan->keys[k] != keys[1] && plan->keys[k] != keys[2]) {
            keys[n++] = plan->keys[k];
        }
    }
    return n;
}

enum { PARAMETERS, FLOPS, LOSS, P, PERPLEXITY, ACCURACY, STEPS_TO_TARGET, SECONDS, RESULTS };

static const char *const titles[RESULTS] = {
    [PARAMETERS] = "parameters", [FLOPS] = "FLOP/step",     [LOSS] = "validation loss", [P] = "p",
    [PERPLEXITY] = "perplexity", [ACCURACY] = "accuracy %", [SECONDS] = "seconds",
};

static void set_titles(const hl_config_key *const *keys, int n_keys, double target, hl_text_grid *grid)
{
    for (int k = 0; k < n_keys; k++) {
        hl_text_grid_set(grid, 0, 1 + k, "%s", k == 0 ? "h" : hl_ablate_key_label(keys[k]));
    }
    for (int i = 0; i < RESULTS; i++) {
        hl_text_grid_set(grid, 0, 1 + n_keys + i, "%s", titles[i] != NULL ? titles[i] : "");
    }
    hl_text_grid_set(grid, 0, 1 + n_keys + STEPS_TO_TARGET, "steps to %.6g%%", 100 * target);
}

static void set_row(const hl_ablate_plan *plan, int64_t v, const hl_ablate_row *row, const hl_config_key *const *keys,
                    int n_keys, hl_text_grid *grid)
{
    const hl_ablate_variant *variant = &plan->variants[v];
    if (v == plan->base) {
        hl_text_grid_set(grid, 1 + v, 0, "base");
    } else if (variant->row != 0) {
        hl_text_grid_set(grid, 1 + v, 0, "(%c)", variant->row);
    }
    for (int k = 0; k < n_keys; k++) {
        char value[HL_ABLATE_VALUE_TEXT];
        hl_ablate_key_value(keys[k], &variant->config, value);
        hl_text_grid_set(grid, 1 + v, 1 + k, "%s", value);
    }
    cell cells[RESULTS] = {
        [FLOPS] = flops_cell(variant->flops),
        [LOSS] = interval_cell(row->loss, 1, 4),
        [P] = p_cell(row->p),
        [PERPLEXITY] = interval_cell(row->perplexity, 1, 3),
        [ACCURACY] = interval_cell(row->accuracy, 100, 2),
        [STEPS_TO_TARGET] = target_cell(row),
        [SECONDS] = interval_cell(row->seconds, 1, 1),
    };
    hl_units_count(variant->parameters, cells[PARAMETERS].text);
    for (int i = 0; i < RESULTS; i++) {
        hl_text_grid_set(grid, 1 + v, 1 + n_keys + i, "%s", cells[i].text);
    }
}

hl_status hl_ablate_table_make(const hl_ablate_plan *plan, const hl_ablate_summary *summary, double target,
                               hl_text_grid *grid)
{
    const hl_config_key *keys[HL_ABLATE_MAX_KEYS + 3];
    int n_keys = columns_of(plan, keys);
    HL_TRY(hl_text_grid_init(grid, 1 + plan->n_variants, 1 + n_keys + RESULTS));
    set_titles(keys, n_keys, target, grid);
    for (int64_t v = 0; v < plan->n_variants; v++) {
        set_row(plan, v, &summary->rows[v], keys, n_keys, grid);
    }
    return grid->error;
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
