#include "show/sweep_report.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "show/private/packed.h"
#include "show/private/pages.h"

#include <string.h>

/* Adds bytes escaped for HTML. */
static void add_escaped(hl_text *text, const char *bytes)
{
    static const char special[] = "&<>\"'";
    while (*bytes != '\0') {
        size_t plain = strcspn(bytes, special);
        hl_text_add(text, bytes, plain);
        bytes += plain;
        if (*bytes != '\0') {
            hl_text_print(text, "&#%d;", *bytes++);
        }
    }
}

/* The same for a text, made safe to show. */
static void add_shown(hl_text *text, const char *bytes)
{
    hl_shown shown;
    while ((bytes = hl_shown_next(bytes, false, &shown)) != NULL) {
        add_escaped(text, shown.bytes);
    }
}

static void add_element(hl_text *text, const char *tag, const char *bytes)
{
    hl_text_print(text, "<%s>", tag);
    add_shown(text, bytes);
    hl_text_print(text, "</%s>\n", tag);
}

/* `other` is shown instead where the screen is as `media` says. */
static void add_image(hl_text *text, const char *type, const hl_text *image, const char *media, const hl_text *other,
                      const char *described)
{
    hl_text_print(text, "<div class=\"picture\" tabindex=\"0\"><picture>");
    hl_text_print(text, "<source media=\"(%s)\" srcset=\"data:image/%s;base64,", media, type);
    hl_base64(text, other->bytes, other->size);
    hl_text_print(text, "\"><img alt=\"");
    add_shown(text, described);
    hl_text_print(text, "\" src=\"data:image/%s;base64,", type);
    hl_base64(text, image->bytes, image->size);
    hl_text_print(text, "\"></picture></div>\n");
}

/* ---- the table ---- */

static void add_heads(hl_text *text, const hl_sweep_run *run, int64_t columns)
{
    hl_text_print(text, "<tr class=\"heads\"><td colspan=\"%lld\"><details><summary>patterns of ", (long long)columns);
    add_shown(text, run->name);
    hl_text_print(text, "</summary>\n");
    if (run->maps != NULL) {
        add_image(text, "png", run->maps, "prefers-color-scheme: dark", run->dark_maps, run->name);
    } else {
        add_element(text, "p", run->missing);
    }
    if (run->report != NULL) {
        hl_text_print(text, "<p><a href=\"");
        add_escaped(text, run->report);
        hl_text_print(text, "\">all about this run</a></p>\n");
    }
    hl_text_print(text, "</details></td></tr>\n");
}

static void add_table(hl_text *text, const hl_sweep_report *report)
{
    const hl_text_grid *table = report->table;
    hl_text_print(text, "<section><h2>Table</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n");
    hl_text_print(text, "<thead><tr>");
    for (int64_t column = 0; column < table->n_columns; column++) {
        hl_text_print(text, "<th scope=\"col\">");
        add_shown(text, hl_text_grid_at(table, 0, column));
        hl_text_print(text, "</th>");
    }
    hl_text_print(text, "</tr></thead>\n<tbody>\n");
    for (int64_t row = 1; row < table->n_rows; row++) {
        hl_text_print(text, "<tr class=\"values%s\">", report->runs[row - 1].base ? " base" : "");
        for (int64_t column = 0; column < table->n_columns; column++) {
            hl_text_print(text, "<td data-name=\"");
            add_shown(text, hl_text_grid_at(table, 0, column));
            hl_text_print(text, "\">");
            add_shown(text, hl_text_grid_at(table, row, column));
            hl_text_print(text, "</td>");
        }
        hl_text_print(text, "</tr>\n");
        add_heads(text, &report->runs[row - 1], table->n_columns);
    }
    hl_text_print(text, "</tbody></table></div>\n");
    char *notes = hl_strdup(report->notes);
    if (notes == NULL) {
        hl_text_fail(text, hl_error_memory("the page of a sweep"));
    }
    char *rest = notes;
    for (char *line; notes != NULL && (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        hl_text_print(text, "<p class=\"hint\">");
        add_shown(text, line);
        hl_text_print(text, "</p>\n");
    }
    hl_free(notes);
    hl_text_print(text, "</section>\n");
}

hl_status hl_sweep_report_write(const hl_sweep_report *report, hl_text *text)
{
    hl_text_add(text, hl_sweep_page_before, hl_sweep_page_before_size);
    hl_text_print(text, "<header><div>");
    add_element(text, "h1", report->title);
    add_element(text, "code", report->command);
    hl_text_print(text, "</div></header>\n<main><section class=\"chart\"><h2>Chart</h2>\n");
    add_image(text, "svg+xml", report->chart, "max-width: 520px", report->narrow_chart,
              "validation loss and accuracy of every row, as in the table");
    hl_text_print(text, "</section>\n");
    add_table(text, report);
    hl_text_print(text, "</main>\n");
    hl_text_add(text, hl_sweep_page_after, hl_sweep_page_after_size);
    return hl_text_status(text);
}
