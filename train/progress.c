#include "train/progress.h"

#include "train/clock.h"
#include "train/units.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 80 };

hl_progress hl_progress_begin(FILE *out, int64_t first_step, int64_t steps)
{
    return (hl_progress){
        .out = out,
        .terminal = out != NULL && isatty(fileno(out)),
        .first_step = first_step,
        .steps = steps,
        .started = hl_clock_seconds(),
    };
}

/* "950", "12k", "3.4M". */
static void format_rate(double rate, char *text, size_t size)
{
    if (rate < 1e4) {
        snprintf(text, size, "%.0f", rate);
    } else if (rate < 1e6) {
        snprintf(text, size, "%.0fk", rate / 1e3);
    } else {
        snprintf(text, size, "%.1fM", rate / 1e6);
    }
}

/* "0.0029", "12.3456", and what would be longer than eight characters as "1.23e+04". */
static void format_loss(double loss, char *text, size_t size)
{
    if (snprintf(text, size, "%.4f", loss) > 8) {
        snprintf(text, size, "%.2e", loss);
    }
}

/* What a training row says after its accuracy: the learning rate, and then the tokens, give way where the line would be
 * longer than 80 columns. `used` are taken already. */
static void print_speed(const hl_progress *progress, hl_metrics_row row, int used)
{
    char learning_rate[32], rate[16], tokens[32], duration[HL_UNITS_TEXT], left[64];
    double elapsed = hl_clock_seconds() - progress->started;
    int64_t done = row.step - progress->first_step;
    hl_units_duration(done > 0 ? elapsed / (double)done * (double)(progress->steps - row.step) : 0, duration);
    format_rate(row.tokens_per_second, rate, sizeof rate);
    int n_left = snprintf(left, sizeof left, "  %s left", duration);
    int n_tokens = snprintf(tokens, sizeof tokens, "  %s tok/s", rate);
    int n_learning_rate = snprintf(learning_rate, sizeof learning_rate, "  lr %.2e", row.learning_rate);
    bool has_tokens = used + n_tokens + n_left <= COLUMNS;
    bool has_learning_rate = used + n_learning_rate + n_tokens + n_left <= COLUMNS;
    fprintf(progress->out, "%s%s%s", has_learning_rate ? learning_rate : "", has_tokens ? tokens : "", left);
}

static void print_row(const hl_progress *progress, hl_metrics_row row)
{
    char loss[512];
    int digits = snprintf(NULL, 0, "%" PRId64, progress->steps);
    bool validation = strcmp(row.split, "validation") == 0;
    format_loss(row.loss, loss, sizeof loss);
    int used = fprintf(progress->out, "step %*" PRId64 "/%" PRId64 "  %sloss %s  acc %5.1f%%", digits, row.step,
                       progress->steps, validation ? "validation  " : "", loss, 100 * row.accuracy);
    if (!validation) {
        print_speed(progress, row, used);
    }
}

static void clear_line(hl_progress *progress)
{
    if (progress->line_open) {
        fputs("\r\033[K", progress->out);
        progress->line_open = false;
    }
}

void hl_progress_step(hl_progress *progress, hl_metrics_row so_far)
{
    double now = hl_clock_seconds();
    if (progress->out == NULL || !progress->terminal || now - progress->drawn < 0.1) {
        return;
    }
    clear_line(progress);
    fputs("\033[?7l", progress->out); /* a narrow terminal cuts the line: one that wraps could not be renewed */
    print_row(progress, so_far);
    fputs("\033[?7h", progress->out);
    fflush(progress->out);
    progress->line_open = true;
    progress->drawn = now;
}

void hl_progress_row(hl_progress *progress, hl_metrics_row row)
{
    bool validation = strcmp(row.split, "validation") == 0;
    if (progress->out == NULL || (progress->terminal && !validation)) {
        return;
    }
    clear_line(progress);
    print_row(progress, row);
    fputc('\n', progress->out);
    fflush(progress->out);
}

void hl_progress_end(hl_progress *progress)
{
    if (progress->out != NULL) {
        clear_line(progress);
        fflush(progress->out);
    }
}
