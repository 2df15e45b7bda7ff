#include "heads/report.h"

#include "core/memory.h"
#include "heads/colour.h"
#include "heads/packed.h"
#include "heads/report_json.h"
#include "heads/report_page.h"

#include <limits.h>
#include <string.h>

/* The colours of the levels, red, green and blue each. */
static json_t *colours(void)
{
    unsigned char bytes[3 * HL_COLOUR_LEVELS];
    for (int level = 0; level < HL_COLOUR_LEVELS; level++) {
        hl_rgb c = hl_colour_of((uint8_t)level);
        memcpy(bytes + (size_t)(3 * level), (unsigned char[]){ c.red, c.green, c.blue }, 3);
    }
    char *text = hl_base64(bytes, sizeof bytes);
    json_t *json = text != NULL ? json_string(text) : NULL;
    hl_free(text);
    return json;
}

static hl_status check(const hl_report_run *runs, int n_runs)
{
    if (n_runs < 1 || n_runs > 2) {
        return hl_error(HL_INVALID, "a report is of one or two runs, not %d", n_runs);
    }
    for (int i = 0; i < n_runs; i++) {
        if (runs[i].maps->n_kept < 1) {
            return hl_error(HL_INVALID, "%s: a report needs at least one snapshot", runs[i].name);
        }
    }
    return hl_ok();
}

static hl_status fill(json_t *json, const hl_report_run *runs, int n_runs)
{
    json_t *list = json_array();
    if (json_object_set_new(json, "runs", list) != 0 || json_object_set_new(json, "colours", colours()) != 0) {
        return hl_error_memory("a report's data");
    }
    for (int i = 0; i < n_runs; i++) {
        json_t *run;
        HL_TRY(hl_report_json(&runs[i], &run));
        if (json_array_append_new(list, run) != 0) {
            return hl_error_memory("a report's data");
        }
    }
    return hl_ok();
}

static void add(hl_text *text, const char *bytes, size_t size)
{
    while (size > 0) {
        int piece = size < INT_MAX ? (int)size : INT_MAX;
        hl_text_print(text, "%.*s", piece, bytes);
        bytes += piece;
        size -= (size_t)piece;
    }
}

/* For jansson: JSON in which no `<` is left, so that no text of the data can end the page's script element or begin
 * another. `<` stands in strings alone. */
static int add_json(const char *bytes, size_t size, void *context)
{
    hl_text *text = context;
    const char *end = bytes + size;
    while (bytes < end) {
        const char *less = memchr(bytes, '<', (size_t)(end - bytes));
        const char *stop = less != NULL ? less : end;
        add(text, bytes, (size_t)(stop - bytes));
        if (less != NULL) {
            add(text, "\\u003c", 6);
        }
        bytes = stop + (less != NULL);
    }
    return hl_text_status(text).code == HL_OK ? 0 : -1;
}

static hl_status print(const json_t *json, hl_text *text)
{
    add(text, (const char *)hl_report_page_before, hl_report_page_before_size);
    int failed = json_dump_callback(json, add_json, text, JSON_COMPACT | JSON_REAL_PRECISION(9));
    add(text, (const char *)hl_report_page_after, hl_report_page_after_size);
    HL_TRY(hl_text_status(text));
    return failed == 0 ? hl_ok() : hl_error_memory("a report's data");
}

hl_status hl_report_write(const hl_report_run *runs, int n_runs, hl_text *text)
{
    HL_TRY(check(runs, n_runs));
    json_t *json = json_object();
    hl_status status = json != NULL ? fill(json, runs, n_runs) : hl_error_memory("a report's data");
    if (status.code == HL_OK) {
        status = print(json, text);
    }
    json_decref(json);
    return status;
}
