#include "programs/ablate/births.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one run ---- */

/* The number of the label, which is added if it is new; -1 when out of memory. */
static int64_t number_of(hl_ablate_births *b, const char *text)
{
    for (int64_t i = 0; i < b->n_labels; i++) {
        if (strcmp(b->labels[i].text.text, text) == 0) {
            return i;
        }
    }
    size_t cells = (size_t)hl_ablate_plan_cells(b->plan);
    hl_ablate_label *grown = hl_realloc(b->labels, (size_t)(b->n_labels + 1), sizeof *grown);
    b->labels = grown != NULL ? grown : b->labels;
    int64_t *steps = grown != NULL ? hl_malloc(cells * sizeof *steps) : NULL;
    if (steps == NULL) {
        return -1;
    }
    hl_ablate_label *added = &b->labels[b->n_labels];
    *added = (hl_ablate_label){ .steps = steps };
    snprintf(added->text.text, sizeof added->text.text, "%s", text);
    for (size_t i = 0; i < cells; i++) {
        steps[i] = -1;
    }
    return b->n_labels++;
}

/* Notes a snapshot: labels that a head has are born now, unless they were before; all others are not born so far. */
static hl_status note_snapshot(hl_ablate_births *b, int64_t cell, const hl_opened_model *run,
                               const hl_snapshot *snapshot)
{
    hl_label *labels = hl_heads_labels(snapshot);
    HL_NEED(labels != NULL, "labels");
    int64_t n = hl_heads_count(&run->source.shape), most = b->n_labels + n;
    bool *seen = hl_calloc((size_t)most, sizeof *seen);
    if (seen == NULL) {
        hl_free(labels);
        return hl_error_memory("labels");
    }
    hl_status status = hl_ok();
    for (int64_t i = 0; i < n && status.code == HL_OK; i++) {
        if (labels[i].kind == HL_LABEL_MIXED || labels[i].kind == HL_LABEL_UNIFORM) {
            continue;
        }
        int64_t number = number_of(b, hl_label_text_of(labels[i], run->source.relations).text);
        if (number < 0) {
            status = hl_error_memory("labels");
        } else {
            seen[number] = true;
        }
    }
    for (int64_t i = 0; i < b->n_labels && status.code == HL_OK; i++) {
        int64_t *step = &b->labels[i].steps[cell];
        *step = !seen[i] ? -1 : *step >= 0 ? *step : snapshot->step;
    }
    hl_free(seen);
    hl_free(labels);
    return status;
}

static hl_status read_run(hl_ablate_births *b, int64_t cell)
{
    hl_opened_model run;
    hl_status status = hl_opened_model_open(&run, hl_ablate_plan_path(b->plan, cell).text);
    for (size_t i = 0; status.code == HL_OK && i < run.n_steps; i++) {
        const hl_snapshot *snapshot;
        status = hl_opened_model_snapshot(&run, run.steps[i], &snapshot);
        HL_THEN(status, note_snapshot(b, cell, &run, snapshot));
    }
    b->read[cell] = status.code == HL_OK && run.n_steps > 0;
    b->unread = status.code == HL_BAD_FILE ? status : b->unread;
    hl_opened_model_close(&run);
    return status.code == HL_NO_MEMORY ? status : hl_ok();
}

/* ---- all runs ---- */

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static hl_ablate_birth birth_of(const hl_ablate_births *b, int64_t label, int64_t v)
{
    int64_t steps[HL_ABLATE_MAX_CELLS], seeds = b->plan->seeds;
    const hl_ablate_variant *variant = &b->plan->variants[v];
    hl_ablate_birth birth = { .cell = variant->name,
                              .label = b->labels[label].text.text,
                              .config = &variant->config,
                              .first = NAN,
                              .median = NAN,
                              .last = NAN };
    for (int64_t cell = v * seeds; cell < (v + 1) * seeds; cell++) {
        int64_t step = b->labels[label].steps[cell];
        birth.runs += b->read[cell];
        if (b->read[cell] && step >= 0) {
            steps[birth.born++] = step;
        }
    }
    qsort(steps, (size_t)birth.born, sizeof *steps, ascending);
    if (birth.born > 0) {
        birth.first = (double)steps[0];
        int64_t lower = (birth.born - 1) / 2, upper = birth.born / 2;
        birth.median = (double)(steps[lower] + steps[upper]) / 2;
        birth.last = (double)steps[birth.born - 1];
    }
    return birth;
}

/* Whether it was born in any run. */
static bool is_born(const hl_ablate_births *b, int64_t label)
{
    bool born = false;
    for (int64_t cell = 0; cell < hl_ablate_plan_cells(b->plan); cell++) {
        born = born || (b->read[cell] && b->labels[label].steps[cell] >= 0);
    }
    return born;
}

hl_status hl_ablate_births_make(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_ablate_births *births)
{
    int64_t cells = hl_ablate_plan_cells(plan);
    *births = (hl_ablate_births){ .plan = plan, .read = hl_calloc((size_t)cells, sizeof *births->read) };
    HL_NEED(births->read != NULL, "births");
    for (int64_t cell = 0; cell < cells; cell++) {
        HL_TRY(results[cell].state == HL_ABLATE_DONE ? read_run(births, cell) : hl_ok());
    }
    births->rows = hl_calloc((size_t)(plan->n_variants * births->n_labels + 1), sizeof *births->rows);
    HL_NEED(births->rows != NULL, "births");
    for (int64_t i = 0; i < plan->n_variants * births->n_labels; i++) {
        if (is_born(births, i % births->n_labels)) {
            births->rows[births->n_rows++] = birth_of(births, i % births->n_labels, i / births->n_labels);
        }
    }
    return hl_ok();
}

void hl_ablate_births_free(hl_ablate_births *births)
{
    for (int64_t i = 0; i < births->n_labels; i++) {
        hl_free(births->labels[i].steps);
    }
    hl_free(births->labels);
    hl_free(births->read);
    hl_free(births->rows);
    *births = (hl_ablate_births){ 0 };
}

/* ---- tables ---- */

void hl_ablate_births_csv(const hl_ablate_births *births, hl_text *text)
{
    hl_text_print(text, "cell");
    hl_ablate_plan_columns(births->plan, NULL, text);
    hl_text_print(text, ",label,runs,born,first,median,last\n");
    for (const hl_ablate_birth *row = births->rows; row < births->rows + births->n_rows; row++) {
        char first[HL_UNITS_TEXT], median[HL_UNITS_TEXT], last[HL_UNITS_TEXT];
        hl_text_print(text, "%s", row->cell);
        hl_ablate_plan_columns(births->plan, row->config, text);
        hl_text_print(text, ",%s,%" PRId64 ",%" PRId64 ",%s,%s,%s\n", row->label, row->runs, row->born,
                      hl_units_field(row->first, first), hl_units_field(row->median, median),
                      hl_units_field(row->last, last));
    }
}

hl_status hl_ablate_births_grid(const hl_ablate_births *births, hl_text_grid *grid)
{
    static const char *const titles[] = { "cell", "label", "born", "median step" };
    enum { COLUMNS = sizeof titles / sizeof *titles };
    HL_TRY(hl_text_grid_init(grid, births->n_rows + 1, COLUMNS));
    for (int c = 0; c < COLUMNS; c++) {
        hl_text_grid_set(grid, 0, c, "%s", titles[c]);
    }
    grid->n_rows = 1;
    for (const hl_ablate_birth *row = births->rows; row < births->rows + births->n_rows; row++) {
        if (row->born > 0) {
            hl_text_grid_set(grid, grid->n_rows, 0, "%s", row->cell);
            hl_text_grid_set(grid, grid->n_rows, 1, "%s", row->label);
            hl_text_grid_set(grid, grid->n_rows, 2, "%" PRId64 " of %" PRId64, row->born, row->runs);
            hl_text_grid_set(grid, grid->n_rows++, 3, "%.9g", row->median);
        }
    }
    return grid->error;
}
