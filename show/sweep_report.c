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

/* The same between two pieces of HTML. */
static void add_between(hl_text *text, const char *before, const char *bytes, const char *after)
{
    hl_text_print(text, "%s", before);
    add_shown(text, bytes);
    hl_text_print(text, "%s", after);
}

/* `other` is shown instead where the screen is as `media` says. */
static void add_image(hl_text *text, const char *type, const hl_text *image, const char *media, const hl_text *other,
                      const char *described)
{
    hl_text_print(text, "<div class=\"picture\" tabindex=\"0\"><picture>");
    hl_text_print(text, "<source media=\"(%s)\" srcset=\"data:image/%s;base64,", media, type);
    hl_base64(text, other->bytes, other->size);
    add_between(text, "\"><img alt=\"", described, "\" src=\"data:image/");
    hl_text_print(text, "%s;base64,", type);
    hl_base64(text, image->bytes, image->size);
    hl_text_print(text, "\"></picture></div>\n");
}

/* ---- the table ---- */

static void add_heads(hl_text *text, const hl_sweep_run *run, int64_t columns)
{
    hl_text_print(text, "<tr class=\"heads\"><td colspan=\"%lld\"><details>", (long long)columns);
    add_between(text, "<summary>patterns of ", run->name, "</summary>\n");
    if (run->maps != NULL) {
        add_image(text, "png", run->maps, "prefers-color-scheme: dark", run->dark_maps, run->name);
    } else {
        add_between(text, "<p>", run->missing, "</p>\n");
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
        add_between(text, "<th scope=\"col\">", hl_text_grid_at(table, 0, column), "</th>");
    }
    hl_text_print(text, "</tr></thead>\n<tbody>\n");
    for (int64_t row = 1; row < table->n_rows; row++) {
        hl_text_print(text, "<tr class=\"values%s\">", report->runs[row - 1].base ? " base" : "");
        for (int64_t column = 0; column < table->n_columns; column++) {
            add_between(text, "<td data-name=\"", hl_text_grid_at(table, 0, column), "\">");
            add_between(text, "", hl_text_grid_at(table, row, column), "</td>");
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
        add_between(text, "<p class=\"hint\">", line, "</p>\n");
    }
    hl_free(notes);
    hl_text_print(text, "</section>\n");
}

hl_status hl_sweep_report_write(const hl_sweep_report *report, hl_text *text)
{
    hl_text_add(text, hl_sweep_page_before, hl_sweep_page_before_size);
    hl_text_print(text, "<header><div>");
    add_between(text, "<h1>", report->title, "</h1>\n");
    add_between(text, "<code>", report->command, "</code>\n");
    hl_text_print(text, "</div></header>\n<main><section class=\"chart\"><h2>Chart</h2>\n");
    add_image(text, "svg+xml", report->chart, "max-width: 520px", report->narrow_chart,
              "validation loss and accuracy of every row, as in the table");
    hl_text_print(text, "</section>\n");
    add_table(text, report);
    hl_text_print(text, "</main>\n");
    hl_text_add(text, hl_sweep_page_after, hl_sweep_page_after_size);
    return hl_text_status(text);
}
