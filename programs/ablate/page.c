#include "programs/ablate/page.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "programs/ablate/table.h"
#include "show/picture.h"
#include "show/sweep_report.h"
#include "study/model.h"
#include "study/view.h"

#include <inttypes.h>
#include <limits.h>

/* Pixels per inch: for slides and for print. */
static const double DPI = 200;

/* The same of a run's maps: sharp on a screen, and small enough for a page with many of them. */
static const double MAPS_DPI = 144;

/* ---- the chart ---- */

hl_status hl_ablate_chart_print(const hl_ablate_outputs *outputs, const hl_ablate_summary *summary,
                                hl_picture_format format, bool narrow, hl_text *bytes)
{
    const hl_ablate_plan *plan = outputs->plan;
    hl_sweep_variant *variants = hl_calloc((size_t)plan->n_variants, sizeof *variants);
    hl_text caption = { 0 };
    hl_text_print(&caption,
                  "%s, %" PRId64 " seed%s: means (dots: single runs) with 95%% confidence intervals; dashed: "
                  "the base. Bars that leave the frame are cut.",
                  outputs->config, plan->seeds, plan->seeds > 1 ? "s" : "");
    hl_status status = variants != NULL ? hl_text_status(&caption) : hl_error_memory("the chart");
    for (int64_t v = 0; v < plan->n_variants && variants != NULL; v++) {
        const hl_ablate_row *row = &summary->rows[v];
        variants[v] = (hl_sweep_variant){ .name = plan->variants[v].values,
                                          .base = v == plan->base,
                                          .n = row->n,
                                          .values = { row->losses, row->accuracies },
                                          .intervals = { row->loss, row->accuracy } };
    }
    hl_sweep_chart chart = { .variants = variants, .n = plan->n_variants, .caption = caption.bytes, .narrow = narrow };
    HL_THEN(status, hl_sweep_chart_print(&chart, format, DPI, bytes));
    hl_free(variants);
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
    bool reported;
    hl_text maps, dark_maps;
    hl_status drawn;
} opened;

/* The variant's first cell that is done, or its first cell where none is. */
static int64_t cell_to_show(const hl_ablate_outputs *outputs, int64_t variant)
{
    int64_t first = variant * outputs->plan->seeds;
    for (int64_t i = first; i < first + outputs->plan->seeds; i++) {
        if (outputs->results[i].state == HL_ABLATE_DONE) {
            return i;
        }
    }
    return first;
}

static hl_status open_variant(const hl_ablate_outputs *outputs, int64_t variant, opened *o)
{
    int64_t cell = cell_to_show(outputs, variant);
    hl_ablate_path folder = hl_ablate_plan_path(outputs->plan, cell);
    o->name = hl_ablate_plan_name(outputs->plan, cell);
    o->drawn = open_maps(folder.text, &o->maps, &o->dark_maps);
    HL_TRY(hl_file_exists(hl_ablate_path_in(folder.text, "report.html").text, &o->reported));
    o->report = hl_ablate_path_in(o->name.text, "report.html");
    return o->drawn.code == HL_NO_MEMORY ? o->drawn : hl_ok();
}

static hl_status open_all(const hl_ablate_outputs *outputs, opened *all, hl_sweep_run *runs, hl_status *unread)
{
    for (int64_t v = 0; v < outputs->plan->n_variants; v++) {
        opened *o = &all[v];
        HL_TRY(open_variant(outputs, v, o));
        bool done = outputs->results[cell_to_show(outputs, v)].state == HL_ABLATE_DONE;
        *unread = done && o->drawn.code == HL_BAD_FILE ? o->drawn : *unread;
        runs[v] = (hl_sweep_run){ .name = o->name.text,
                                  .report = o->reported ? o->report.text : NULL,
                                  .maps = o->drawn.code == HL_OK ? &o->maps : NULL,
                                  .dark_maps = &o->dark_maps,
                                  .missing = o->drawn.text,
                                  .base = v == outputs->plan->base };
    }
    return hl_ok();
}

static hl_status write_page(const hl_ablate_outputs *outputs, const hl_text_grid *grid, const hl_text *chart,
                            const hl_text *narrow_chart, const hl_sweep_run *runs, hl_text *bytes)
{
    hl_text title = { 0 }, notes = { 0 };
    hl_text_print(&title, "Ablation of %s", outputs->config);
    hl_ablate_table_notes(outputs->plan, outputs->results, outputs->target, INT_MAX, &notes);
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

hl_status hl_ablate_page(const hl_ablate_outputs *outputs, const hl_text_grid *grid, const hl_text *chart,
                         const hl_text *narrow_chart, hl_text *bytes, hl_status *unread)
{
    *unread = hl_ok();
    int64_t n = outputs->plan->n_variants;
    opened *all = hl_calloc((size_t)n, sizeof *all);
    hl_sweep_run *runs = hl_calloc((size_t)n, sizeof *runs);
    hl_status status = all != NULL && runs != NULL ? open_all(outputs, all, runs, unread) : hl_error_memory("the page");
    HL_THEN(status, write_page(outputs, grid, chart, narrow_chart, runs, bytes));
    for (int64_t v = 0; all != NULL && v < n; v++) {
        hl_text_free(&all[v].maps);
        hl_text_free(&all[v].dark_maps);
    }
    hl_free(all);
    hl_free(runs);
    return status;
}
