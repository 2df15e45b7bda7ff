#include "programs/ablate/progress.h"

#include "core/base/clock.h"
#include "core/base/units.h"
#include "programs/print_line.h"
#include "train/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BAR = 16, WIDEST_NAME = 48, USUAL_HEIGHT = 24 };

hl_ablate_progress hl_ablate_progress_begin(FILE *out, const hl_ablate_plan *plan, int64_t n_ended)
{
    hl_ablate_progress progress = { .out = out, .terminal = hl_terminal_renews(out), .plan = plan, .n_ended = n_ended };
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        int width = (int)strlen(hl_ablate_plan_name(plan, i).text);
        progress.width = width > progress.width ? width : progress.width;
    }
    progress.width = progress.width < WIDEST_NAME ? progress.width : WIDEST_NAME;
    return progress;
}

void hl_ablate_progress_clear(hl_ablate_progress *progress)
{
    if (progress->n_lines > 0) {
        fprintf(progress->out, "\033[%dA\r\033[J", progress->n_lines);
        progress->n_lines = 0;
    }
    fflush(progress->out);
}

/* "[ 3/12] heads=8,seed=1  "; `number` 0: blanks. */
static void print_name(const hl_ablate_progress *progress, int64_t number, int64_t cell)
{
    int64_t n = hl_ablate_plan_cells(progress->plan);
    int digits = snprintf(NULL, 0, "%" PRId64, n);
    if (number > 0) {
        fprintf(progress->out, "[%*" PRId64 "/%" PRId64 "] ", digits, number, n);
    } else {
        fprintf(progress->out, "%*s", 2 * digits + 4, "");
    }
    fprintf(progress->out, "%-*s  ", progress->width, hl_ablate_plan_name(progress->plan, cell).text);
}

void hl_ablate_progress_started(hl_ablate_progress *progress, const hl_ablate_running *running)
{
    if (progress->terminal) {
        return;
    }
    print_name(progress, 0, running->cell);
    if (running->first_step > 0) {
        fprintf(progress->out, "goes on after step %" PRId64, running->first_step);
    } else {
        fprintf(progress->out, "begins");
    }
    fprintf(progress->out, ", %d thread%s\n", running->threads, running->threads > 1 ? "s" : "");
    fflush(progress->out);
}

void hl_ablate_progress_ended(hl_ablate_progress *progress, const hl_ablate_running *running,
                              const hl_ablate_result *result, const hl_status *failure)
{
    hl_ablate_progress_clear(progress);
    progress->n_elsewhere += running->elsewhere;
    print_name(progress, ++progress->n_ended, running->cell);
    if (failure->code != HL_OK) {
        bool began = running->began;
        hl_print_line(progress->out, "failed: %s%s%s%s", failure->text, began ? " (all it said: " : "",
                      began ? running->folder.text : "", began ? "/log.txt)" : "");
    } else {
        char duration[HL_UNITS_TEXT];
        fprintf(progress->out, "loss %.4f  acc %5.1f%%", result->loss, 100 * result->accuracy);
        if (isfinite(result->seconds)) {
            fprintf(progress->out, "  %s", hl_units_duration(result->seconds, duration));
        }
        fprintf(progress->out, "%s\n", running->elsewhere ? ", in another call" : "");
    }
    fflush(progress->out);
}

void hl_ablate_progress_waits(hl_ablate_progress *progress, int64_t elsewhere)
{
    if (elsewhere > 0 && !progress->terminal && !progress->waits) {
        progress->waits = true;
        fprintf(progress->out, "waiting for %" PRId64 " training%s of other calls\n", elsewhere,
                elsewhere > 1 ? "s" : "");
        fflush(progress->out);
    }
}

/* ---- renewing lines ---- */

static void print_running(const hl_ablate_progress *progress, const hl_ablate_running *running)
{
    const hl_ablate_glimpse *now = &running->glimpse;
    int64_t steps = hl_ablate_plan_variant(progress->plan, running->cell)->config.train.steps;
    print_name(progress, 0, running->cell);
    double share = now->step > 0 ? fmin((double)now->step / (double)steps, 1) : 0;
    int filled = (int)(share * BAR);
    fprintf(progress->out, "[%.*s%*s] %3.0f%%", filled, "================", BAR - filled, "", 100 * share);
    if (now->step >= 0) {
        fprintf(progress->out, "  loss %.4f  acc %5.1f%%", now->loss, 100 * now->accuracy);
    }
    if (now->step > running->first_step) {
        char left[HL_UNITS_TEXT];
        double a_step = (hl_clock_seconds() - running->started) / (double)(now->step - running->first_step);
        fprintf(progress->out, "  %s left", hl_units_duration(a_step * (double)(steps - now->step), left));
    }
    fputc('\n', progress->out);
}

bool hl_ablate_progress_due(const hl_ablate_progress *progress)
{
    return progress->terminal && hl_clock_seconds() - progress->drawn >= 0.2;
}

void hl_ablate_progress_draw(hl_ablate_progress *progress, const hl_ablate_running *running, int n, int64_t elsewhere,
                             double left)
{
    FILE *out = progress->out;
    int height = hl_terminal_height(out) > 0 ? hl_terminal_height(out) : USUAL_HEIGHT;
    int most = height > 2 ? height - 2 : 0; /* one line is for the total, one for the cursor */
    int shown = n < most ? n : most;
    hl_ablate_progress_clear(progress);
    /* Lines are cut at a narrow terminal's edge, since a wrapped line could not be renewed. */
    fputs("\033[?7l", out);
    for (int i = 0; i < shown; i++) {
        print_running(progress, &running[i]);
    }
    fprintf(out, "%" PRId64 " of %" PRId64 " trainings ended", progress->n_ended, hl_ablate_plan_cells(progress->plan));
    if (progress->n_elsewhere > 0) {
        fprintf(out, " (%" PRId64 " in other calls)", progress->n_elsewhere);
    }
    fprintf(out, ", %d going on", n);
    if (elsewhere > 0) {
        fprintf(out, ", %" PRId64 " in other calls", elsewhere);
    }
    if (isfinite(left)) {
        char duration[HL_UNITS_TEXT];
        fprintf(out, ", about %s left", hl_units_duration(left, duration));
    }
    fputs("\n\033[?7h", out);
    fflush(out);
    progress->n_lines = shown + 1;
    progress->drawn = hl_clock_seconds();
}
