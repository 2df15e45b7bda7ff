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

/* The picture that opens from a row of the page, and what it is made from. */
typedef struct opened {
    hl_ablate_name name;
    hl_ablate_path report;
    hl_text maps, dark_maps;
    hl_status drawn;
} opened;

/* The outputs being made; what is made is owned. */
typedef struct maker {
    const hl_ablate_outputs *given;
    const hl_ablate_sweep *sweep;
    const hl_ablate_plan *plan;
    hl_ablate_summary summary;
    hl_ablate_births births;
    hl_text_grid grid, births_grid;
    opened *opened;     /* (plan->n_variants) */
    hl_sweep_run *runs; /* (plan->n_variants) */
    hl_status unread;   /* HL_BAD_FILE, with the reason, if the patterns of a finished run cannot be read */
    hl_text caption, title, notes, svg, narrow, png, page;
} maker;

/* ---- the chart ---- */

/* Adds the chart in this format. `narrow`: for a narrow screen. HL_NO_MEMORY, HL_FAILED with cairo's words; HL_INVALID:
 * too many rows. */
static hl_status print_chart(const maker *m, hl_picture_format format, bool narrow, hl_text *bytes)
{
    hl_sweep_chart chart = {
        .rows = m->summary.rows, .n = m->plan->n_variants, .caption = m->caption.bytes, .narrow = narrow
    };
    return hl_sweep_chart_print(&chart, format, DPI, bytes);
}

static hl_status print_charts(maker *m)
{
    int64_t seeds = m->plan->seeds;
    hl_text_print(&m->caption,
                  "%s, %" PRId64 " seed%s: means (dots: single runs) with 95%% confidence intervals; dashed: "
                  "the base. Bars that leave the frame are cut.",
                  m->given->config, seeds, seeds > 1 ? "s" : "");
    HL_TRY(hl_text_status(&m->caption));
    HL_TRY(print_chart(m, HL_SVG, false, &m->svg));
    return print_chart(m, HL_SVG, true, &m->narrow);
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

/* The variant's first cell that is done, or its first cell where none is. */
static int64_t cell_to_show(const maker *m, int64_t variant)
{
    int64_t first = variant * m->plan->seeds;
    for (int64_t i = first; i < first + m->plan->seeds; i++) {
        if (m->sweep->results[i].state == HL_ABLATE_DONE) {
            return i;
        }
    }
    return first;
}

static hl_status open_variant(maker *m, int64_t v)
{
    opened *o = &m->opened[v];
    int64_t cell = cell_to_show(m, v);
    hl_ablate_path folder = hl_ablate_plan_path(m->plan, cell);
    bool reported;
    o->name = hl_ablate_plan_name(m->plan, cell);
    o->report = hl_ablate_path_in(o->name.text, "report.html");
    o->drawn = open_maps(folder.text, &o->maps, &o->dark_maps);
    HL_TRY(o->drawn.code == HL_NO_MEMORY ? o->drawn : hl_ok());
    HL_TRY(hl_file_exists(hl_ablate_path_in(folder.text, "report.html").text, &reported));
    bool done = m->sweep->results[cell].state == HL_ABLATE_DONE;
    m->unread = done && o->drawn.code == HL_BAD_FILE ? o->drawn : m->unread;
    m->runs[v] = (hl_sweep_run){ .name = o->name.text,
                                 .report = reported ? o->report.text : NULL,
                                 .maps = o->drawn.code == HL_OK ? &o->maps : NULL,
                                 .dark_maps = &o->dark_maps,
                                 .missing = o->drawn.text,
                                 .base = v == m->plan->base };
    return hl_ok();
}

/* Adds the page, with the chart as SVG for wide and narrow screens. Each row opens the run of its first finished seed.
 * If the patterns of a run cannot be drawn, the page says why. HL_BAD_FILE: a folder that cannot be read;
 * HL_NO_MEMORY. */
static hl_status print_page(maker *m)
{
    int64_t n = m->plan->n_variants;
    m->opened = hl_calloc((size_t)n, sizeof *m->opened);
    m->runs = hl_calloc((size_t)n, sizeof *m->runs);
    HL_NEED(m->opened != NULL && m->runs != NULL, "the page");
    for (int64_t v = 0; v < n; v++) {
        HL_TRY(open_variant(m, v));
    }
    hl_text_print(&m->title, "Ablation of %s", m->given->config);
    hl_ablate_table_notes(m->plan, m->sweep->results, m->sweep->target, INT_MAX, &m->notes);
    HL_TRY(hl_text_status(&m->title));
    HL_TRY(hl_text_status(&m->notes));
    return hl_sweep_report_write(&(hl_sweep_report){ .title = m->title.bytes,
                                                     .command = m->given->command,
                                                     .table = &m->grid,
                                                     .notes = m->notes.bytes,
                                                     .chart = &m->svg,
                                                     .narrow_chart = &m->narrow,
                                                     .runs = m->runs },
                                 &m->page);
}

enum { MARKDOWN_WIDTH = 120, WIDTH_ELSEWHERE = 120 };

/* Writes the file in the sweep's folder and frees the content. */
static hl_status write_file(const maker *m, const char *name, hl_text *content)
{
    hl_ablate_folder *folder = m->sweep->folder;
    hl_status status = hl_ablate_folder_enter(folder);
    HL_THEN(status, hl_file_replace_text(hl_ablate_path_in(m->plan->folder, name).text, content, HL_VOLATILE));
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

/* Frees what the page was made from: the pictures of every run, which can be large. */
static void free_page_parts(maker *m)
{
    for (int64_t v = 0; m->opened != NULL && v < m->plan->n_variants; v++) {
        hl_text_free(&m->opened[v].maps);
        hl_text_free(&m->opened[v].dark_maps);
    }
    hl_text *const texts[] = { &m->title, &m->notes, &m->narrow };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hl_text_free(texts[i]);
    }
}

static hl_status write_pictures(maker *m)
{
    HL_TRY(print_charts(m));
    HL_TRY(print_page(m));
    free_page_parts(m); /* before the chart in many dots, which needs most memory */
    HL_TRY(write_file(m, "ablation.svg", &m->svg));
    HL_TRY(write_file(m, "ablation.html", &m->page));
    HL_TRY(print_chart(m, HL_PNG, false, &m->png));
    HL_TRY(write_file(m, "ablation.png", &m->png));
    return m->unread.code == HL_OK
               ? hl_ok()
               : hl_error(m->unread.code, "%s; ablation.html is without the patterns of this run", m->unread.text);
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
    const hl_ablate_plan *plan = m->plan;
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
    maker m = { .given = outputs, .sweep = outputs->sweep, .plan = outputs->sweep->plan };
    hl_status status = make(&m, out);
    free_page_parts(&m);
    hl_text_free(&m.caption);
    hl_text_free(&m.svg);
    hl_text_free(&m.png);
    hl_text_free(&m.page);
    hl_free(m.opened);
    hl_free(m.runs);
    hl_text_grid_free(&m.grid);
    hl_text_grid_free(&m.births_grid);
    hl_ablate_births_free(&m.births);
    hl_ablate_summary_free(&m.summary);
    return status;
}
