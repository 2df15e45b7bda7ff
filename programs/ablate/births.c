#include "programs/ablate/births.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one run ---- */

/* The label with this text, which is added if it is new; NULL when out of memory. */
static hl_ablate_label *label_of(hl_ablate_births *b, const char *text)
{
    for (int64_t i = 0; i < b->n_labels; i++) {
        if (strcmp(b->labels[i].text.text, text) == 0) {
            return &b->labels[i];
        }
    }
    int64_t cells = hl_ablate_plan_cells(b->plan);
    hl_ablate_label *grown = hl_realloc(b->labels, (size_t)(b->n_labels + 1), sizeof *grown);
    b->labels = grown != NULL ? grown : b->labels;
    int64_t *steps = grown != NULL ? hl_malloc((size_t)cells * sizeof *steps) : NULL;
    if (steps == NULL) {
        return NULL;
    }
    hl_ablate_label *added = &b->labels[b->n_labels++];
    *added = (hl_ablate_label){ .steps = steps };
    snprintf(added->text.text, sizeof added->text.text, "%s", text);
    for (int64_t i = 0; i < cells; i++) {
        steps[i] = -1;
    }
    return added;
}

/* Notes a snapshot: labels that a head has are born now, unless they were before; all others are not born so far. */
static hl_status note_snapshot(hl_ablate_births *b, int64_t cell, const hl_opened_model *run,
                               const hl_snapshot *snapshot)
{
    hl_label *labels = hl_heads_labels(snapshot);
    HL_NEED(labels != NULL, "labels");
    for (int64_t i = 0; i < b->n_labels; i++) {
        b->labels[i].seen = false;
    }
    hl_status status = hl_ok();
    for (int64_t i = 0, n = hl_heads_count(&run->source.shape); i < n && status.code == HL_OK; i++) {
        if (labels[i].kind != HL_LABEL_MIXED && labels[i].kind != HL_LABEL_UNIFORM) {
            hl_ablate_label *label = label_of(b, hl_label_text_of(labels[i], run->source.relations).text);
            status = label != NULL ? hl_ok() : hl_error_memory("labels");
            if (label != NULL) {
                label->seen = true;
            }
        }
    }
    hl_free(labels);
    for (int64_t i = 0; i < b->n_labels; i++) {
        int64_t *step = &b->labels[i].steps[cell];
        *step = !b->labels[i].seen ? -1 : *step >= 0 ? *step : snapshot->step;
    }
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

/* In how many of the variant's runs with snapshots it was born, and when; NaN if in none. */
typedef struct birth {
    int64_t runs, born;
    double first, median, last;
} birth;

static birth birth_of(const hl_ablate_births *b, const hl_ablate_label *label, int64_t v)
{
    int64_t steps[HL_ABLATE_MAX_CELLS], seeds = b->plan->seeds;
    birth found = { .first = NAN, .median = NAN, .last = NAN };
    for (int64_t cell = v * seeds; cell < (v + 1) * seeds; cell++) {
        found.runs += b->read[cell];
        if (b->read[cell] && label->steps[cell] >= 0) {
            steps[found.born++] = label->steps[cell];
        }
    }
    qsort(steps, (size_t)found.born, sizeof *steps, ascending);
    if (found.born > 0) {
        found.first = (double)steps[0];
        int64_t lower = (found.born - 1) / 2, upper = found.born / 2;
        found.median = (double)(steps[lower] + steps[upper]) / 2;
        found.last = (double)steps[found.born - 1];
    }
    return found;
}

/* Whether it was born in any run. */
static bool is_born(const hl_ablate_births *b, const hl_ablate_label *label)
{
    bool born = false;
    for (int64_t cell = 0; cell < hl_ablate_plan_cells(b->plan); cell++) {
        born = born || (b->read[cell] && label->steps[cell] >= 0);
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
    return hl_ok();
}

void hl_ablate_births_free(hl_ablate_births *births)
{
    for (int64_t i = 0; i < births->n_labels; i++) {
        hl_free(births->labels[i].steps);
    }
    hl_free(births->labels);
    hl_free(births->read);
    *births = (hl_ablate_births){ 0 };
}

/* ---- tables ---- */

void hl_ablate_births_csv(const hl_ablate_births *births, hl_text *text)
{
    const hl_ablate_plan *plan = births->plan;
    hl_text_print(text, "cell");
    hl_ablate_plan_columns(plan, NULL, text);
    hl_text_print(text, ",label,runs,born,first,median,last\n");
    for (int64_t v = 0; v < plan->n_variants; v++) {
        for (const hl_ablate_label *label = births->labels; label < births->labels + births->n_labels; label++) {
            if (is_born(births, label)) {
                char first[HL_UNITS_TEXT], median[HL_UNITS_TEXT], last[HL_UNITS_TEXT];
                birth row = birth_of(births, label, v);
                hl_text_print(text, "%s", plan->variants[v].name);
                hl_ablate_plan_columns(plan, &plan->variants[v].config, text);
                hl_text_print(text, ",%s,%" PRId64 ",%" PRId64 ",%s,%s,%s\n", label->text.text, row.runs, row.born,
                              hl_units_field(row.first, first), hl_units_field(row.median, median),
                              hl_units_field(row.last, last));
            }
        }
    }
}

hl_status hl_ablate_births_grid(const hl_ablate_births *births, hl_text_grid *grid)
{
    static const char *const titles[] = { "cell", "label", "born", "median step" };
    enum { COLUMNS = sizeof titles / sizeof *titles };
    int64_t n_variants = births->plan->n_variants;
    HL_TRY(hl_text_grid_init(grid, n_variants * births->n_labels + 1, COLUMNS));
    for (int c = 0; c < COLUMNS; c++) {
        hl_text_grid_set(grid, 0, c, "%s", titles[c]);
    }
    grid->n_rows = 1;
    for (int64_t i = 0; i < n_variants * births->n_labels; i++) {
        int64_t v = i / births->n_labels;
        const hl_ablate_label *label = &births->labels[i % births->n_labels];
        birth row = birth_of(births, label, v);
        if (row.born > 0) {
            hl_text_grid_set(grid, grid->n_rows, 0, "%s", births->plan->variants[v].name);
            hl_text_grid_set(grid, grid->n_rows, 1, "%s", label->text.text);
            hl_text_grid_set(grid, grid->n_rows, 2, "%" PRId64 " of %" PRId64, row.born, row.runs);
            hl_text_grid_set(grid, grid->n_rows++, 3, "%.9g", row.median);
        }
    }
    return grid->error;
}
