#include "train/watch.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/label.h"
#include "heads/mean_map.h"
#include "train/signals.h"
#include "train/terminal.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const double LEAST_PAUSE = 0.1; /* seconds between two drawings */
static const double MOST_SHARE = 0.1;  /* the largest share of the time for drawing */
static const double LONGEST_SLEEP = 0.05;

hl_status hl_watch_check(const hl_config *config, int layer)
{
    int64_t layers = config->model.n_layers;
    if (layer >= layers) {
        return hl_error(HL_INVALID,
                        "command line: --watch: no layer %d; the model has %" PRId64 ", counted from 0: 0 .. %" PRId64,
                        layer, layers, layers - 1);
    }
    if (config->patterns.examples == 0) {
        return hl_error(HL_INVALID, "command line: --watch: patterns.examples = 0 records nothing that could be shown; "
                                    "set patterns.examples=32");
    }
    return hl_ok();
}

static int64_t heads_of(const hl_watch *watch)
{
    return watch->recorder->model->config.heads[watch->layer];
}

hl_status hl_watch_init(hl_watch *watch, const hl_recorder *recorder, int layer, double pace,
                        const char *const *relations)
{
    *watch = (hl_watch){ .recorder = recorder, .layer = layer, .pace = pace, .relations = relations };
    int64_t H = heads_of(watch), T = recorder->examples.n_tokens;
    size_t count = hl_size_product((size_t)(T * T), (size_t)H); /* memory for T^2 weights of each head exists already */
    watch->panels = hl_calloc((size_t)H, sizeof *watch->panels);
    watch->maps = hl_calloc(count, sizeof *watch->maps);
    return watch->panels != NULL && watch->maps != NULL ? hl_ok() : hl_error_memory("maps of heads");
}

void hl_watch_free(hl_watch *watch)
{
    hl_free(watch->panels);
    hl_free(watch->maps);
    hl_text_free(&watch->shown);
    *watch = (hl_watch){ 0 };
}

bool hl_watch_due(hl_watch *watch, const hl_progress *progress)
{
    double now = hl_clock_seconds(), pause = watch->seconds * (1 / MOST_SHARE - 1);
    if (!progress->terminal || watch->pace > 0 || now - watch->ended < (pause > LEAST_PAUSE ? pause : LEAST_PAUSE)) {
        return false;
    }
    watch->begun = now;
    return true;
}

/* ---- the drawing ---- */

static void make_panels(hl_watch *watch, const char *title)
{
    for (int64_t h = 0; h < heads_of(watch); h++) {
        hl_patterns all = hl_recorder_patterns(watch->recorder, watch->layer, h), shown = hl_patterns_shown(&all);
        int64_t n = hl_patterns_at(&shown, 0).n;
        hl_real *map = watch->maps + h * n * n;
        hl_patterns_mean(&shown, map);
        watch->panels[h] = (hl_panel){ .title = title, .weights = map, .n_queries = n, .n_keys = n, .stride = n };
        title += strlen(title) + 1;
    }
}

static hl_status write_maps(hl_watch *watch, const hl_terminal *terminal, hl_text *text)
{
    hl_text titles = { 0 };
    /* Titles such as "L1H0 offset(-11) 0.98", one per head, each with a zero byte at its end. */
    for (int64_t h = 0; h < heads_of(watch); h++) {
        hl_patterns all = hl_recorder_patterns(watch->recorder, watch->layer, h);
        hl_text_print(&titles, "%s %s%c", hl_head_name_of(watch->layer, h).text,
                      hl_label_title_of(hl_label_of(&all), watch->relations).text, '\0');
    }
    hl_status status = hl_text_status(&titles);
    if (status.code == HL_OK) {
        make_panels(watch, titles.bytes);
        status = hl_terminal_heads(terminal, watch->panels, heads_of(watch), text);
    }
    hl_text_free(&titles);
    if (status.code == HL_INVALID) { /* the terminal has no room: training goes on, and the terminal may grow */
        hl_text_print(text, "%s\n", status.text);
        status = hl_text_status(text);
    }
    return status;
}

/* The room for the maps: the terminal without their caption, the progress line and at least one line above. */
static hl_terminal terminal_for(const hl_progress *progress)
{
    enum { OTHER_LINES = 3 };
    hl_terminal terminal = hl_terminal_of(progress->out);
    if (progress->terminal) {
        int lines = hl_terminal_height(progress->out);
        lines = (lines > 0 ? lines : HL_TERMINAL_USUAL_HEIGHT) - OTHER_LINES;
        terminal.height = lines > 1 ? lines : 1;
    }
    return terminal;
}

/* Waits until the last drawing has been visible long enough. Sleeps are short, because a signal may wake only another
 * thread. */
static void wait_for_pace(const hl_watch *watch, hl_progress *progress)
{
    double begun = hl_clock_seconds(), now = begun, until = watch->ended > 0 ? watch->ended + watch->pace : begun;
    for (; now < until && hl_signals_received() == 0; now = hl_clock_seconds()) {
        double seconds = until - now < LONGEST_SLEEP ? until - now : LONGEST_SLEEP;
        nanosleep(&(struct timespec){ .tv_nsec = (long)(seconds * 1e9) }, NULL);
    }
    progress->started += now - begun;
}

hl_status hl_watch_show(hl_watch *watch, int64_t step, hl_progress *progress)
{
    if (progress->out == NULL) {
        return hl_ok();
    }
    if (watch->pace > 0) {
        wait_for_pace(watch, progress);
    }
    hl_terminal terminal = terminal_for(progress);
    hl_text text = { 0 };
    /* A caption such as "layer 1, step 50, mean of 16 examples" */
    char caption[128];
    hl_patterns all = hl_recorder_patterns(watch->recorder, watch->layer, 0), shown = hl_patterns_shown(&all);
    bool many = shown.n_examples > 1;
    snprintf(caption, sizeof caption, "layer %d, step %" PRId64 ", %s %" PRId64 "%s", watch->layer, step,
             many ? "mean of" : "example", many ? shown.n_examples : shown.first, many ? " examples" : "");
    hl_terminal_caption(&terminal, caption, &text);
    hl_status status = write_maps(watch, &terminal, &text);
    if (status.code != HL_OK) {
        hl_text_free(&text);
        return status;
    }
    if (terminal.width != watch->width) { /* resizing may have broken the lines of the drawing */
        hl_progress_leave(progress);
    }
    hl_progress_show(progress, text.bytes);
    hl_text_free(&watch->shown);
    watch->shown = text;
    watch->width = terminal.width;
    watch->ended = hl_clock_seconds();
    watch->seconds = watch->begun > 0 ? watch->ended - watch->begun : watch->seconds;
    watch->begun = 0;
    return hl_ok();
}
