#include "train/progress.h"

#include "core/base/clock.h"
#include "core/base/units.h"
#include "train/terminal.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 80 };

/* Escape sequences: cut lines at the right edge, or break them; clear from the cursor on. */
#define NO_WRAP "\033[?7l"
#define WRAP "\033[?7h"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

hl_progress hl_progress_begin(FILE *out, int64_t first_step, int64_t steps)
{
    return (hl_progress){
        .out = out,
        .terminal = out != NULL && hl_terminal_renews(out),
        .first_step = first_step,
        .steps = steps,
        .started = hl_clock_seconds(),
    };
}

/* The end of a training row, after its accuracy. If the line would be longer than 80 columns, the learning rate is left
 * out, then also the tokens. `used` columns are already used. */
static void print_speed(const hl_progress *progress, hl_metrics_row row, int used)
{
    char learning_rate[32], tokens[512], duration[HL_UNITS_TEXT], left[64];
    double elapsed = hl_clock_seconds() - progress->started;
    int64_t done = row.step - progress->first_step;
    hl_units_duration(done > 0 ? elapsed / (double)done * (double)(progress->steps - row.step) : 0, duration);
    double rate = row.tokens_per_second; /* such as "950", "12k", "3.4M" */
    const char *unit = rate < 1e4 ? "" : rate < 1e6 ? "k" : "M";
    double of_unit = rate < 1e4 ? rate : rate < 1e6 ? rate / 1e3 : rate / 1e6;
    int n_left = snprintf(left, sizeof left, "  %s left", duration);
    int n_tokens = snprintf(tokens, sizeof tokens, "  %.*f%s tok/s", *unit == 'M', of_unit, unit);
    int n_learning_rate = snprintf(learning_rate, sizeof learning_rate, "  lr %.2e", row.learning_rate);
    bool has_tokens = used + n_tokens + n_left <= COLUMNS;
    bool has_learning_rate = used + n_learning_rate + n_tokens + n_left <= COLUMNS;
    fprintf(progress->out, "%s%s%s", has_learning_rate ? learning_rate : "", has_tokens ? tokens : "", left);
}

/* The end of a validation row: the most informative figure of its kind, left out if the line would be longer than 80
 * columns. */
static void print_figures(const hl_progress *progress, hl_metrics_row row, int used)
{
    char figures[2][64] = { "", "" };
    if (row.kind == HL_METRICS_TOKENS) {
        snprintf(figures[0], sizeof figures[0], "  ppl %.4g", row.scores.perplexity);
    }
    if (row.kind == HL_METRICS_TOKENS && row.scores.bits_per_character >= 0) {
        snprintf(figures[1], sizeof figures[1], "  %.2f bits/char", row.scores.bits_per_character);
    }
    if (row.kind == HL_METRICS_CLASSES) {
        snprintf(figures[0], sizeof figures[0], "  macro F1 %5.1f%%", 100 * row.scores.macro_f1);
    }
    for (int i = 0; i < 2 && used + (int)strlen(figures[i]) <= COLUMNS; i++) {
        used += fprintf(progress->out, "%s", figures[i]);
    }
}

static void print_row(const hl_progress *progress, hl_metrics_row row)
{
    char loss[512];
    int digits = snprintf(NULL, 0, "%" PRId64, progress->steps);
    bool validation = strcmp(row.split, "validation") == 0;
    /* such as "0.0029", "12.3456", or else "1.23e+04" */
    if (snprintf(loss, sizeof loss, "%.4f", row.scores.loss) > 8) {
        snprintf(loss, sizeof loss, "%.2e", row.scores.loss);
    }
    int used = fprintf(progress->out, "step %*" PRId64 "/%" PRId64 "  %sloss %s  acc %5.1f%%", digits, row.step,
                       progress->steps, validation ? "validation  " : "", loss, 100 * row.scores.accuracy);
    if (validation) {
        print_figures(progress, row, used);
    } else {
        print_speed(progress, row, used);
    }
}

static void clear_line(hl_progress *progress)
{
    if (progress->line_open) {
        fputs("\r" CLEAR_LINE, progress->out);
        progress->line_open = false;
    }
}

/* Moves the cursor to the beginning of the drawing. */
static void go_to_drawing(hl_progress *progress)
{
    fputc('\r', progress->out);
    if (progress->drawing_lines > 0) {
        fprintf(progress->out, "\033[%dA", progress->drawing_lines);
    }
}

/* Overwrites the screen from the cursor down, line by line: clearing it first would flicker. */
static void print_drawing(hl_progress *progress)
{
    fputs(NO_WRAP, progress->out);
    for (const char *line = progress->drawing; *line != '\0'; line += strcspn(line, "\n") + 1) {
        fprintf(progress->out, CLEAR_LINE "%.*s\n", (int)strcspn(line, "\n"), line);
    }
    fputs(CLEAR_BELOW WRAP, progress->out);
    progress->line_open = false;
}

void hl_progress_show(hl_progress *progress, const char *drawing)
{
    if (progress->out == NULL) {
        return;
    }
    if (progress->terminal) {
        go_to_drawing(progress);
        progress->drawing = drawing;
        progress->drawing_lines = 0;
        for (const char *c = drawing; *c != '\0'; c++) {
            progress->drawing_lines += *c == '\n';
        }
        print_drawing(progress);
        progress->drawn = 0; /* the line below was overwritten and must be printed again */
    } else {
        fputs(drawing, progress->out);
    }
    fflush(progress->out);
}

void hl_progress_leave(hl_progress *progress)
{
    if (progress->out != NULL) {
        clear_line(progress);
    }
    progress->drawing = NULL;
    progress->drawing_lines = 0;
}

void hl_progress_step(hl_progress *progress, hl_metrics_row so_far)
{
    double now = hl_clock_seconds();
    if (progress->out == NULL || !progress->terminal || now - progress->drawn < 0.1) {
        return;
    }
    clear_line(progress);
    fputs(NO_WRAP, progress->out); /* a narrow terminal cuts the line, because a wrapped line could not be updated */
    print_row(progress, so_far);
    fputs(WRAP, progress->out);
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
    if (progress->drawing != NULL) {
        go_to_drawing(progress);
        fputs(CLEAR_BELOW, progress->out);
    }
    print_row(progress, row);
    fputc('\n', progress->out);
    if (progress->drawing != NULL) {
        print_drawing(progress);
    }
    fflush(progress->out);
}

void hl_progress_end(hl_progress *progress)
{
    hl_progress_leave(progress);
    if (progress->out != NULL) {
        fflush(progress->out);
    }
}
