#include "programs/ablate/outputs.h"

#include "core/base/memory.h"
#include "core/base/text_grid.h"
#include "core/files/files.h"
#include "core/files/json_text.h"
#include "programs/ablate/births.h"
#include "programs/ablate/sweep_chart.h"
#include "programs/ablate/table.h"
#include "programs/print_line.h"
#include "show/picture.h"
#include "show/sweep_report.h"
#include "study/model.h"
#include "study/output.h"
#include "study/view.h"
#include "train/terminal.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <unistd.h>

/* Pixels per inch: for slides and for print. */
static const double DPI = 200;

/* The same of a run's maps: sharp on a screen, and small enough for a page with many of them. */
static const double MAPS_DPI = 144;

/* ---- the chart ---- */

/* Adds the chart in this format. `narrow`: for a narrow screen. HL_NO_MEMORY, HL_FAILED with cairo's words; HL_INVALID:
 * too many rows. */
static hl_status print_chart(const hl_ablate_outputs *outputs, const hl_ablate_summary *summary,
                             hl_picture_format format, bool narrow, hl_text *bytes)
{
    int64_t seeds = outputs->sweep->plan->seeds;
    hl_text caption = { 0 };
    hl_text_print(&caption,
                  "%s, %" PRId64 " seed%s: means (dots: single runs) with 95%% confidence intervals; dashed: "
                  "the base. Bars that leave the frame are cut.",
                  outputs->config, seeds, seeds > 1 ? "s" : "");
    hl_status status = hl_text_status(&caption);
    hl_sweep_chart chart = {
        .rows = summary->rows, .n = outputs->sweep->plan->n_variants, .caption = caption.bytes, .narrow = narrow
    };
    HL_THEN(status, hl_sweep_chart_print(&chart, format, DPI, bytes));
    hl_text_free(&caption);
    return status;
}

/* ---- the page ---- */

static hl_status draw_maps(const hl_opened_model *run, const hl_snapshot *snapshot, hl_text *bytes, hl_text *dark)
{
    hl_heads_view view;
    HL_TRY(
        hl_heads_view_make(&view, run, snapshot, (hl_heads_view_options){ .example = HL_VIEW_ANY, .labeled = true }));
    hl_picture picture = {
        .panels = view.panels, .row_lengths = view.row_lengths, .n_rows = view.n_layers, .caption = view.caption.bytes
    };
    hl_status status = hl_picture_print(&picture, HL_PNG, MAPS_DPI, bytes);
    picture.dark = true;
    HL_THEN(status, hl_picture_print(&picture, HL_PNG, MAPS_DPI, dark));
    hl_heads_view_free(&view);
    return status;
}

/* Draws the run's last snapshot, all heads side by side, under what they do, as a PNG and for a dark screen. */
static hl_status open_maps(const char *folder, hl_text *bytes, hl_text *dark)
{
    hl_opened_model run;
    const hl_snapshot *snapshot;
    hl_status status = hl_opened_model_open(&run, folder);
    if (status.code == HL_OK && run.n_steps == 0) {
        status = hl_error(HL_INVALID, "%s", hl_opened_model_check_steps(&run).text);
    }
    HL_THEN(status, hl_opened_model_snapshot(&run, -1, &snapshot));
    HL_THEN(status, draw_maps(&run, snapshot, bytes, dark));
    hl_opened_model_close(&run);
    return status;
}

/* The picture that opens from a row, and what it is made from. */
typedef struct opened {
    hl_ablate_name name;
    hl_ablate_path report;
    hl_text maps, dark_maps;
    hl_status drawn;
} opened;

/* The variant's first cell that is done, or its first cell where none is. */
static int64_t cell_to_show(const hl_ablate_outputs *outputs, int64_t variant)
{
    int64_t first = variant * outputs->sweep->plan->seeds;
    for (int64_t i = first; i < first + outputs->sweep->plan->seeds; i++) {
        if (outputs->sweep->results[i].state == HL_ABLATE_DONE) {
            return i;
        }
    }
    return first;
}

/* *unread: why the patterns of a finished run cannot be read. */
static hl_status open_variant(const hl_ablate_outputs *outputs, int64_t v, opened *o, hl_sweep_run *run,
                              hl_status *unread)
{
    const hl_ablate_plan *plan = outputs->sweep->plan;
    int64_t cell = cell_to_show(outputs, v);
    hl_ablate_path folder = hl_ablate_plan_path(plan, cell);
    bool reported;
    o->name = hl_ablate_plan_name(plan, cell);
    o->report = hl_ablate_path_in(o->name.text, "report.html");
    o->drawn = open_maps(folder.text, &o->maps, &o->dark_maps);
    HL_TRY(o->drawn.code == HL_NO_MEMORY ? o->drawn : hl_ok());
    HL_TRY(hl_file_exists(hl_ablate_path_in(folder.text, "report.html").text, &reported));
    bool done = outputs->sweep->results[cell].state == HL_ABLATE_DONE;
    *unread = done && o->drawn.code == HL_BAD_FILE ? o->drawn : *unread;
    *run = (hl_sweep_run){ .name = o->name.text,
                           .report = reported ? o->report.text : NULL,
                           .maps = o->drawn.code == HL_OK ? &o->maps : NULL,
                           .dark_maps = &o->dark_maps,
                           .missing = o->drawn.text,
                           .base = v == plan->base };
    return hl_ok();
}

static hl_status write_page(const hl_ablate_outputs *outputs, const hl_text_grid *grid, const hl_text *chart,
                            const hl_text *narrow_chart, const hl_sweep_run *runs, hl_text *bytes)
{
    hl_text title = { 0 }, notes = { 0 };
    hl_text_print(&title, "Ablation of %s", outputs->config);
    hl_ablate_table_notes(outputs->sweep->plan, outputs->sweep->results, outputs->sweep->target, INT_MAX, &notes);
    hl_status status = hl_text_status(&title);
    HL_THEN(status, hl_text_status(&notes));
    HL_THEN(status, hl_sweep_report_write(&(hl_sweep_report){ .title = title.bytes,
                                                              .command = outputs->command,
                                                              .table = grid,
                                                              .notes = notes.bytes,
                                                              .chart = chart,
                                                              .narrow_chart = narrow_chart,
                                                              .runs = runs },
                                          bytes));
    hl_text_free(&title);
    hl_text_free(&notes);
    return status;
}

/* Adds the page, with the chart as SVG for wide and narrow screens. Each row opens the run of its first finished seed.
 * If the patterns of a run cannot be drawn, the page says why. *unread: HL_BAD_FILE with the reason if the patterns of
 * a finished run cannot be read; else HL_OK. HL_BAD_FILE: a folder that cannot be read; HL_NO_MEMORY. */
static hl_status print_page(const hl_ablate_outputs *outputs, const hl_text_grid *grid, const hl_text *chart,
                            const hl_text *narrow_chart, hl_text *bytes, hl_status *unread)
{
    *unread = hl_ok();
    int64_t n = outputs->sweep->plan->n_variants;
    opened *all = hl_calloc((size_t)n, sizeof *all);
    hl_sweep_run *runs = hl_calloc((size_t)n, sizeof *runs);
    hl_status status = all != NULL && runs != NULL ? hl_ok() : hl_error_memory("the page");
    for (int64_t v = 0; v < n; v++) {
        HL_THEN(status, open_variant(outputs, v, &all[v], &runs[v], unread));
    }
    HL_THEN(status, write_page(outputs, grid, chart, narrow_chart, runs, bytes));
    for (int64_t v = 0; all != NULL && v < n; v++) {
        hl_text_free(&all[v].maps);
        hl_text_free(&all[v].dark_maps);
    }
    hl_free(all);
    hl_free(runs);
    return status;
}

enum { MARKDOWN_WIDTH = 120, WIDTH_ELSEWHERE = 120 };

/* The outputs being made. */
typedef struct maker {
    const hl_ablate_outputs *given;
    const hl_ablate_sweep *sweep;
    hl_ablate_summary summary;
    hl_text_grid grid;
    hl_ablate_births births;
    hl_text_grid births_grid;
} maker;

/* Writes the file in the sweep's folder and frees the content. */
static hl_status write_file(const maker *m, const char *name, hl_text *content)
{
    hl_ablate_folder *folder = m->sweep->folder;
    hl_status status = hl_ablate_folder_enter(folder);
    HL_THEN(status, hl_file_replace_text(hl_ablate_path_in(m->sweep->plan->folder, name).text, content, HL_VOLATILE));
    hl_ablate_folder_leave(folder);
    hl_text_free(content);
    return status;
}

/* The first rows of the births' table, and what they mean. */
static void print_births(const maker *m, int width, bool ascii, hl_text *text)
{
    enum { SHOWN = 30 };
    hl_text_grid shown = m->births_grid;
    hl_text_print(text, "\n");
    if (shown.n_rows <= 1) {
        hl_text_paragraph(text, width, "No head has earned a label that stayed until the end of its run.");
        return;
    }
    shown.n_rows = shown.n_rows < SHOWN + 1 ? shown.n_rows : SHOWN + 1;
    hl_text_grid_print(&shown, width, 2, ascii, text);
    hl_text_print(text, "\n");
    hl_text_paragraph(
        text, width,
        "born: in how many runs a head earned the label and some head kept it until the end; median step: "
        "of the first snapshot from which on it was kept. births.csv also has the first and last steps.");
}

static hl_status print_table(const maker *m)
{
    const hl_ablate_sweep *s = m->sweep;
    FILE *out = s->out;
    hl_terminal terminal = hl_terminal_of(out);
    int width = isatty(fileno(out)) ? terminal.width : WIDTH_ELSEWHERE;
    hl_text text = { 0 };
    hl_text_print(&text, "\n");
    hl_text_grid_print(&m->grid, width, HL_ABLATE_TABLE_NAMES, terminal.ascii, &text);
    hl_text_print(&text, "\n");
    hl_ablate_table_notes(s->plan, s->results, s->target, width, &text);
    print_births(m, width, terminal.ascii, &text);
    return hl_print_text(out, &text);
}

static hl_status write_chart_and_page(const maker *m, hl_status *unread)
{
    hl_text svg = { 0 }, narrow = { 0 }, page = { 0 };
    hl_status status = print_chart(m->given, &m->summary, HL_SVG, false, &svg);
    HL_THEN(status, print_chart(m->given, &m->summary, HL_SVG, true, &narrow));
    HL_THEN(status, print_page(m->given, &m->grid, &svg, &narrow, &page, unread));
    HL_THEN(status, write_file(m, "ablation.svg", &svg));
    HL_THEN(status, write_file(m, "ablation.html", &page));
    hl_text_free(&svg);
    hl_text_free(&narrow);
    hl_text_free(&page);
    return status;
}

static hl_status write_pictures(const maker *m)
{
    hl_status unread;
    HL_TRY(write_chart_and_page(m, &unread));
    hl_text png = { 0 };
    hl_status status = print_chart(m->given, &m->summary, HL_PNG, false, &png);
    if (status.code != HL_OK) {
        hl_text_free(&png);
        return status;
    }
    HL_TRY(write_file(m, "ablation.png", &png));
    return unread.code == HL_OK
               ? unread
               : hl_error(unread.code, "%s; ablation.html is without the patterns of this run", unread.text);
}

/* ---- as JSON; NULL stands for missing memory throughout ---- */

static json_t *interval_object(const hl_interval *interval)
{
    return json_pack("{s:I, s:o, s:o}", "n", (json_int_t)interval->n, "mean", hl_json_number(interval->mean),
                     "half_width", hl_json_number(interval->half_width));
}

static json_t *training_object(const hl_ablate_result *r, int64_t seed)
{
    bool done = r->state == HL_ABLATE_DONE;
    json_t *object = json_pack("{s:I, s:s, s:o}", "seed", (json_int_t)seed, "status", done ? "done" : "failed", "steps",
                               done ? json_integer(r->steps) : json_null());
    for (int m = 0; m < HL_ABLATE_MEASURES; m++) {
        double value = hl_ablate_measured(r, (hl_ablate_measure)m);
        bool whole = m == HL_ABLATE_STEPS_TO_TARGET && isfinite(value);
        if (m != HL_ABLATE_PERPLEXITY) {
            hl_json_set(&object, hl_ablate_measure_names[m],
                        whole ? json_integer((json_int_t)value) : hl_json_number(value));
        }
    }
    return object;
}

static json_t *row_object(const maker *m, int64_t v)
{
    const hl_ablate_plan *plan = m->sweep->plan;
    const hl_ablate_variant *variant = &plan->variants[v];
    const hl_ablate_row *row = &m->summary.rows[v];
    json_t *values = json_object(), *trainings = json_array();
    for (int k = 0; k < plan->n_keys; k++) {
        char value[HL_ABLATE_VALUE_TEXT];
        hl_ablate_key_value(plan->keys[k], &variant->config, value);
        hl_json_set(&values, hl_ablate_key_label(plan->keys[k]), hl_json_name(value));
    }
    for (int64_t cell = v * plan->seeds; cell < (v + 1) * plan->seeds; cell++) {
        hl_json_append(&trainings, training_object(&m->sweep->results[cell], hl_ablate_plan_seed(plan, cell)));
    }
    json_t *object =
        json_pack("{s:o, s:o, s:I, s:o}", "name", hl_json_name(variant->name), "values", values, "parameters",
                  (json_int_t)variant->parameters, "flops_per_step", hl_json_number(variant->flops));
    for (int i = 0; i < HL_ABLATE_MEASURES; i++) {
        hl_json_set(&object, hl_ablate_measure_names[i], interval_object(&row->intervals[i]));
    }
    hl_json_set(&object, "p", hl_json_number(row->p));
    hl_json_set(&object, "trainings", trainings);
    return object;
}

static hl_status put_tables(const maker *m, FILE *out)
{
    const hl_ablate_outputs *o = m->given;
    const hl_ablate_sweep *s = m->sweep;
    hl_text text = { 0 };
    if (o->json != NULL) {
        json_t *rows = json_array();
        for (int64_t v = 0; v < s->plan->n_variants; v++) {
            hl_json_append(&rows, row_object(m, v));
        }
        json_t *root = json_pack("{s:o, s:I, s:o, s:o}", "config", hl_json_name(o->config), "seeds",
                                 (json_int_t)s->plan->seeds, "target", hl_json_number(s->target), "rows", rows);
        hl_json_print_document(&text, root);
        HL_TRY(hl_output_put(o->json, &text, out));
    }
    if (o->csv != NULL) {
        hl_ablate_csv_print(s->plan, s->results, &text);
        return hl_output_put(o->csv, &text, out);
    }
    return hl_ok();
}

static hl_status make(maker *m, FILE *out)
{
    const hl_ablate_sweep *s = m->sweep;
    HL_TRY(hl_ablate_summary_make(s->plan, s->results, &m->summary));
    HL_TRY(hl_ablate_table_make(s->plan, &m->summary, s->target, &m->grid));
    hl_text csv = { 0 }, births = { 0 }, markdown = { 0 };
    hl_ablate_csv_print(s->plan, s->results, &csv);
    HL_TRY(write_file(m, "ablation.csv", &csv));
    HL_TRY(hl_ablate_births_make(s->plan, s->results, &m->births));
    HL_TRY(hl_ablate_births_grid(&m->births, &m->births_grid));
    hl_ablate_births_csv(&m->births, &births);
    HL_TRY(write_file(m, "births.csv", &births));
    HL_TRY(print_table(m));
    HL_TRY(put_tables(m, out));
    hl_text_print(&markdown, "# Ablation of `%s`\n\n`%s`\n\n<!-- format 1 -->\n\n", m->given->config,
                  m->given->command);
    hl_text_grid_markdown(&m->grid, &markdown);
    hl_text_print(&markdown, "\n");
    hl_ablate_table_notes(s->plan, s->results, s->target, MARKDOWN_WIDTH, &markdown);
    if (m->births_grid.n_rows > 1) {
        hl_text_print(&markdown, "\n");
        hl_text_grid_markdown(&m->births_grid, &markdown);
    }
    HL_TRY(write_file(m, "ablation.md", &markdown));
    HL_TRY(write_pictures(m));
    const hl_status *unread = &m->births.unread;
    return unread->code == HL_OK ? *unread : hl_error(unread->code, "%s; births.csv is without this run", unread->text);
}

hl_status hl_ablate_outputs_write(const hl_ablate_outputs *outputs, FILE *out)
{
    maker m = { .given = outputs, .sweep = outputs->sweep };
    hl_status status = make(&m, out);
    hl_text_grid_free(&m.grid);
    hl_text_grid_free(&m.births_grid);
    hl_ablate_births_free(&m.births);
    hl_ablate_summary_free(&m.summary);
    return status;
}
