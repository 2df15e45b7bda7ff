#include "show/report.h"

#include "show/colour.h"
#include "show/private/packed.h"
#include "show/private/pages.h"
#include "show/private/report_json.h"

#include <string.h>

hl_status hl_report_write(const hl_report_run *runs, int n_runs, hl_text *text)
{
    if (n_runs < 1 || n_runs > 2) {
        return hl_error(HL_INVALID, "a report is of one or two runs, not %d", n_runs);
    }
    for (int i = 0; i < n_runs; i++) {
        if (runs[i].maps->n_kept < 1) {
            return hl_error(HL_INVALID, "%s: a report needs at least one snapshot", runs[i].name);
        }
    }
    hl_text_add(text, hl_report_page_before, hl_report_page_before_size);
    hl_text_print(text, "{\"format\":%d,\"runs\":[", (int)HL_REPORT_FORMAT);
    for (int i = 0; i < n_runs; i++) {
        hl_text_print(text, "%s", i > 0 ? "," : "");
        hl_report_json(text, &runs[i]);
    }
    hl_text_print(text, "],\"colours\":\"");
    /* The colours of the levels, red, green and blue each. */
    unsigned char bytes[3 * HL_COLOUR_LEVELS];
    for (int level = 0; level < HL_COLOUR_LEVELS; level++) {
        hl_rgb c = hl_colour_of((uint8_t)level);
        memcpy(bytes + (size_t)(3 * level), (unsigned char[]){ c.red, c.green, c.blue }, 3);
    }
    hl_base64(text, bytes, sizeof bytes);
    hl_text_print(text, "\"}</script>\n<script type=\"application/json\" id=\"word-data\">");
    hl_report_words(text, runs, n_runs);
    hl_text_add(text, hl_report_page_after, hl_report_page_after_size);
    return hl_text_status(text);
}
