#include "programs/open_data.h"

#include "core/clock.h"
#include "core/units.h"
#include "programs/print_line.h"
#include "train/signals.h"
#include "train/terminal.h"

#include <string.h>

typedef struct making {
    FILE *out; /* NULL: quiet */
    bool terminal, line_open;
    const char *what; /* is done since `began` */
    double began, told;
} making;

static void clear_line(making *m)
{
    if (m->line_open) {
        fputs("\r\033[K", m->out);
        m->line_open = false;
    }
}

static hl_status tell(void *context, const char *what, int64_t done, int64_t total)
{
    making *m = context;
    double now = hl_clock_seconds();
    if (m->what == NULL || strcmp(m->what, what) != 0) {
        m->what = what;
        m->began = m->told = now;
    }
    if (hl_signals_received() != 0) {
        return hl_error(HL_FAILED, "interrupted");
    }
    if (m->out == NULL || now - m->told < (m->terminal ? 0.1 : 10)) {
        return hl_ok();
    }
    m->told = now;
    char left[HL_UNITS_TEXT];
    clear_line(m);
    if (total > 0 && done > 0) {
        hl_units_duration((now - m->began) / (double)done * (double)(total - done), left);
        fprintf(m->out, "%s: %.0f%%, %s left", what, 100 * (double)done / (double)total, left);
    } else {
        fprintf(m->out, "%s", what);
    }
    m->line_open = m->terminal;
    fputs(m->terminal ? "" : "\n", m->out);
    fflush(m->out);
    return hl_ok();
}

static making begin(FILE *out)
{
    return (making){ .out = out, .terminal = out != NULL && hl_terminal_renews(out) };
}

hl_status hl_open_data(hl_config *config, hl_data_options options, FILE *out, hl_dataset **dataset)
{
    making m = begin(out);
    options.progress = tell;
    options.context = &m;
    hl_status status = hl_setup_data(config, &options, dataset);
    clear_line(&m);
    bool names = status.code == HL_INVALID && options.beside != NULL;
    return names ? hl_error(HL_INVALID, "%s: %s", options.beside, status.text) : status;
}

hl_status hl_tell_data(const hl_text_data *data, FILE *out, hl_text *text)
{
    making m = begin(out);
    hl_status status = hl_data_told(data, tell, &m, text);
    clear_line(&m);
    return status;
}

hl_status hl_print_notices(FILE *out, const hl_text *notices)
{
    HL_TRY(hl_text_status(notices));
    for (const char *line = notices->bytes; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1) {
        hl_print_line(out, "%.*s", (int)strcspn(line, "\n"), line);
    }
    return hl_ok();
}
