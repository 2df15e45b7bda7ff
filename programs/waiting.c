#include "programs/waiting.h"

#include "core/base/clock.h"
#include "core/base/units.h"
#include "train/signals.h"
#include "train/terminal.h"

#include <stdlib.h>
#include <string.h>

void hl_waiting_end(hl_waiting *w)
{
    if (w->line_open) {
        fputs("\r\033[K", w->out);
        w->line_open = false;
    }
}

hl_status hl_waiting_tell(void *waiting, const char *what, int64_t done, int64_t total)
{
    hl_waiting *w = waiting;
    double now = hl_clock_seconds();
    bool terminal = w->out != NULL && hl_terminal_renews(w->out);
    if (w->what == NULL || strcmp(w->what, what) != 0) {
        w->what = what;
        w->began = w->told = now;
    }
    if (hl_signals_received() != 0) {
        return hl_error(HL_FAILED, "interrupted");
    }
    if (total > 0 && done >= total) {
        hl_waiting_end(w);
        return hl_ok();
    }
    double interval = terminal ? 0.1 : getenv("HEADLIGHT_PROGRESS") != NULL ? 0.5 : 10;
    if (w->out == NULL || now - w->told < interval) {
        return hl_ok();
    }
    w->told = now;
    char left[HL_UNITS_TEXT];
    hl_waiting_end(w);
    if (total > 0 && done > 0) {
        hl_units_duration((now - w->began) / (double)done * (double)(total - done), left);
        fprintf(w->out, "%s: %.0f%%, %s left", what, 100 * (double)done / (double)total, left);
    } else {
        fprintf(w->out, "%s", what);
    }
    w->line_open = terminal;
    fputs(terminal ? "" : "\n", w->out);
    fflush(w->out);
    return hl_ok();
}
