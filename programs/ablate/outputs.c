#include "programs/ablate/outputs.h"

#include "core/files.h"
#include "core/memory.h"
#include "programs/ablate/csv.h"
#include "programs/ablate/page.h"
#include "programs/ablate/table.h"
#include "train/terminal.h"

#include <unistd.h>

enum { MARKDOWN_WIDTH = 120, WIDTH_ELSEWHERE = 120 };

/* The outputs being made. */
typedef struct maker {
    const hl_ablate_outputs *given;
    hl_ablate_summary summary;
    hl_text_grid grid;
} maker;

/* Writes <folder>/ablation.<extension> and frees the content. */
static hl_status write_file(const maker *m, const char *extension, hl_text *content)
{
    hl_status status = hl_text_status(content);
    char *path = hl_path_join(m->given->plan->folder, "ablation.%s", extension);
    if (path == NULL) {
        status = hl_error_memory("the path of a file");
    }
    if (status.code == HL_OK) {
        status = hl_file_replace(path, content->bytes, content->size, HL_VOLATILE);
    }
    hl_free(path);
    hl_text_free(content);
    return status;
}

static hl_status write_csv(const maker *m)
{
    hl_text text = { 0 };
    hl_ablate_csv_write(m->given->plan, m->given->results, &text);
    return write_file(m, "csv", &text);
}

static hl_status write_markdown(const maker *m)
{
    const hl_ablate_outputs *o = m->given;
    hl_text text = { 0 };
    hl_text_print(&text, "# Ablation of `%s`\n\n`%s`\n\n", o->config, o->command);
    hl_text_grid_markdown(&m->grid, &text);
    hl_text_print(&text, "\n");
    hl_ablate_table_notes(o->plan, o->results, o->target, MARKDOWN_WIDTH, &text);
    return write_file(m, "md", &text);
}

static hl_status print_table(const maker *m, FILE *out)
{
    const hl_ablate_outputs *o = m->given;
    hl_terminal terminal = hl_terminal_of(out);
    int width = isatty(fileno(out)) ? terminal.width : WIDTH_ELSEWHERE;
    hl_text text = { 0 };
    hl_text_print(&text, "\n");
    hl_text_grid_print(&m->grid, width, HL_ABLATE_TABLE_NAMES, terminal.ascii, &text);
    hl_text_print(&text, "\n");
    hl_ablate_table_notes(o->plan, o->results, o->target, width, &text);
    hl_status status = hl_text_status(&text);
    if (status.code == HL_OK) {
        fprintf(out, "%s", text.bytes);
    }
    hl_text_free(&text);
    return status;
}

static hl_status write_chart_and_page(const maker *m, hl_status *unread)
{
    hl_text svg = { 0 }, page = { 0 };
    hl_status status = hl_ablate_chart_svg(m->given, &m->summary, &svg);
    if (status.code == HL_OK) {
        status = hl_ablate_page(m->given, &m->grid, &svg, &page, unread);
    }
    if (status.code == HL_OK) {
        status = write_file(m, "svg", &svg);
    }
    if (status.code == HL_OK) {
        status = write_file(m, "html", &page);
    }
    hl_text_free(&svg);
    hl_text_free(&page);
    return status;
}

static hl_status write_pictures(const maker *m)
{
    hl_status unread;
    HL_TRY(write_chart_and_page(m, &unread));
    hl_text png = { 0 };
    hl_status status = hl_ablate_chart_png(m->given, &m->summary, &png);
    if (status.code != HL_OK) {
        hl_text_free(&png);
        return status;
    }
    HL_TRY(write_file(m, "png", &png));
    return unread.code == HL_OK
               ? unread
               : hl_error(unread.code, "%s; ablation.html is without the patterns of this run", unread.text);
}

static hl_status make(maker *m, FILE *out)
{
    const hl_ablate_outputs *o = m->given;
    HL_TRY(hl_ablate_summary_make(o->plan, o->results, &m->summary));
    HL_TRY(hl_ablate_table_make(o->plan, &m->summary, o->target, &m->grid));
    HL_TRY(write_csv(m));
    HL_TRY(print_table(m, out));
    HL_TRY(write_markdown(m));
    return write_pictures(m);
}

hl_status hl_ablate_outputs_write(const hl_ablate_outputs *outputs, FILE *out)
{
    maker m = { .given = outputs };
    hl_status status = make(&m, out);
    hl_text_grid_free(&m.grid);
    hl_ablate_summary_free(&m.summary);
    return status;
}
