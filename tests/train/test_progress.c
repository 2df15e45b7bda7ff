#include "tests/check_suite.h"
#include "tests/runs/screen.h"
#include "tests/scratch.h"
#include "train/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const hl_metrics_row training = { .step = 30,
                                         .split = "train",
                                         .scores.loss = 1.23456,
                                         .scores.accuracy = 0.5,
                                         .learning_rate = 0.001,
                                         .grad_norm = 2,
                                         .tokens_per_second = 123456 };
static const hl_metrics_row validation = { .step = 30,
                                           .split = "validation",
                                           .scores.loss = 0.5,
                                           .scores.accuracy = 0.999,
                                           .learning_rate = -1,
                                           .grad_norm = -1,
                                           .tokens_per_second = 5e6 };

/* One step and both rows to `out`. */
static void play(FILE *out)
{
    hl_progress progress = hl_progress_begin(out, 0, 300);
    hl_progress_step(&progress, training);
    hl_progress_row(&progress, training);
    hl_progress_row(&progress, validation);
    hl_progress_step(&progress, training);
    progress.drawn -= 1;
    hl_progress_step(&progress, training);
    hl_progress_end(&progress);
}

/* A file, and all that was printed to it, for the rest of the test. */
static FILE *open_out(void)
{
    FILE *out = fopen(scratch_path("out"), "w");
    ck_assert_ptr_nonnull(out);
    return out;
}

static const char *printed_to(FILE *out)
{
    size_t size;
    fclose(out);
    return scratch_own(scratch_read(scratch_path("out"), &size), free);
}

TEST(elsewhere_than_on_a_terminal_every_row_is_a_line)
{
    FILE *out = open_out();
    play(out);
    ck_assert_str_eq(printed_to(out), "step  30/300  loss 1.2346  acc  50.0%  lr 1.00e-03  123k tok/s  0 s left\n"
                                      "step  30/300  validation  loss 0.5000  acc  99.9%\n");
}

/* The line that a row is. */
static const char *line_of(hl_metrics_row row, int64_t steps)
{
    FILE *out = open_out();
    hl_progress progress = hl_progress_begin(out, 0, steps);
    hl_progress_row(&progress, row);
    return printed_to(out);
}

TEST(validations_of_text_tell_what_belongs_to_their_task)
{
    hl_metrics_row row = validation;
    row.scores.perplexity = 6.59357;
    row.scores.bits_per_character = 2.7214;
    row.scores.macro_f1 = 0.8764;
    row.kind = HL_METRICS_TOKENS;
    ck_assert_str_eq(line_of(row, 3000),
                     "step   30/3000  validation  loss 0.5000  acc  99.9%  ppl 6.594  2.72 bits/char\n");
    ck_assert_str_eq(line_of(row, 3000000), "step      30/3000000  validation  loss 0.5000  acc  99.9%  ppl 6.594\n");
    row.scores.bits_per_character = -1;
    ck_assert_str_eq(line_of(row, 300), "step  30/300  validation  loss 0.5000  acc  99.9%  ppl 6.594\n");
    row.kind = HL_METRICS_CLASSES;
    ck_assert_str_eq(line_of(row, 300), "step  30/300  validation  loss 0.5000  acc  99.9%  macro F1  87.6%\n");
    row.split = "train";
    ck_assert_ptr_null(strstr(line_of(row, 300), "F1"));
}

/* What `play_it` sends to a terminal of that kind (TERM); stands until the next call. */
static const char *sent_to_a_terminal(const char *kind, void (*play_it)(FILE *out))
{
    setenv("TERM", kind, 1);
    static char text[4096];
    const char *path;
    int master = screen_terminal(80, 24, &path);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    play_it(out);
    fclose(out);
    size_t n = 0;
    ssize_t now;
    while ((now = read(master, text + n, sizeof text - 1 - n)) > 0) { /* it comes in pieces, and then an error */
        n += (size_t)now;
    }
    text[n] = '\0';
    close(master);
    return text;
}

TEST(on_a_terminal_one_line_renews_itself)
{
#define STEP "step  30/300  loss 1.2346  acc  50.0%  lr 1.00e-03  123k tok/s  0 s left"
#define NO_WRAP(line) "\033[?7l" line "\033[?7h"
    static const char expected[] =
        NO_WRAP(STEP) "\r\033[Kstep  30/300  validation  loss 0.5000  acc  99.9%\n" NO_WRAP(STEP) "\r\033[K";
    ck_assert_str_eq(sent_to_a_terminal("xterm", play), expected); /* the second step came too soon to be shown */
}

/* Three drawings, with a step and a row after the first. */
static void play_drawings(FILE *out)
{
    hl_progress progress = hl_progress_begin(out, 0, 300);
    hl_progress_show(&progress, "one\ntwo\n");
    hl_progress_step(&progress, training);
    hl_progress_row(&progress, validation);
    hl_progress_show(&progress, "three\n");
    hl_progress_leave(&progress);
    hl_progress_show(&progress, "four\n");
    hl_progress_end(&progress);
}

TEST(on_a_terminal_a_drawing_renews_itself_below_the_rows)
{
#define DRAWING(lines) "\033[?7l" lines "\033[J\033[?7h"
    static const char expected[] = "\r" DRAWING("\033[Kone\n\033[Ktwo\n")
        NO_WRAP(STEP) "\r\033[K\r\033[2A\033[Jstep  30/300  validation  loss 0.5000  acc  99.9%\n" DRAWING(
            "\033[Kone\n\033[Ktwo\n") "\r\033[2A" DRAWING("\033[Kthree\n") "\r" DRAWING("\033[Kfour\n");
    ck_assert_str_eq(sent_to_a_terminal("xterm", play_drawings), expected);
}

TEST(elsewhere_drawings_follow_one_another)
{
    FILE *out = open_out();
    play_drawings(out);
    ck_assert_str_eq(printed_to(out), "one\ntwo\nstep  30/300  validation  loss 0.5000  acc  99.9%\nthree\nfour\n");
}

TEST(a_terminal_without_sequences_gets_plain_lines)
{
    static const char *const kinds[] = { "dumb", "" };
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(sent_to_a_terminal(kinds[i], play_drawings),
                         "one\ntwo\nstep  30/300  validation  loss 0.5000  acc  99.9%\nthree\nfour\n");
        ck_assert_ptr_null(strpbrk(sent_to_a_terminal(kinds[i], play), "\033\r"));
    }
}

TEST(without_an_output_nothing_happens)
{
    play(NULL);
    play_drawings(NULL);
}

/* What a run from step `first` says of both rows after `elapsed` seconds. */
static const char *lines_of(int64_t first, int64_t steps, double elapsed, hl_metrics_row row)
{
    FILE *out = open_out();
    hl_progress progress = hl_progress_begin(out, first, steps);
    progress.started -= elapsed;
    hl_progress_row(&progress, row);
    row.split = "validation";
    hl_progress_row(&progress, row);
    return printed_to(out);
}

/* Resumed at 20: ten done, forty to go. */
TEST(the_time_left_follows_from_the_steps_of_this_process)
{
    ck_assert_ptr_nonnull(strstr(lines_of(20, 70, 3, training), "  12 s left\n"));
    ck_assert_ptr_nonnull(strstr(lines_of(20, 70, 50, training), "  3 min 20 s left\n"));
    ck_assert_ptr_nonnull(strstr(lines_of(20, 70, 2000, training), "  2 h 13 min left\n"));
}

TEST(no_line_is_longer_than_80_columns)
{
    static const double elapsed[] = { 1, 3599, 359990, 1e9 }, losses[] = { 0.0029, 999.99999, 1e30, 1e300 };
    static const int64_t steps[] = { 9, 300, 3000, 1000000, 10000000000 };
    for (int i = 0; i < 4 * 4 * 5; i++) {
        int64_t last = steps[i / 16];
        hl_metrics_row row = { .step = last - last / 2,
                               .split = "train",
                               .scores.loss = losses[i % 4],
                               .scores.accuracy = 1,
                               .learning_rate = 1.12e-3,
                               .grad_norm = 2,
                               .tokens_per_second = 999.94e6 };
        const char *text = lines_of(0, last, elapsed[i / 4 % 4], row);
        int n_lines = 0;
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1, n_lines++) {
            ck_assert_msg(strcspn(line, "\n") <= 80, "%s", text);
            ck_assert_ptr_nonnull(strstr(line, "  acc 100.0%"));
        }
        ck_assert_int_eq(n_lines, 2);
        ck_assert_ptr_nonnull(strstr(text, " left\n"));
    }
}

TEST(a_line_that_would_be_too_long_leaves_out_the_learning_rate_first)
{
    hl_metrics_row row = { .step = 500000,
                           .split = "train",
                           .scores.loss = 0.0029,
                           .scores.accuracy = 1,
                           .learning_rate = 1.12e-3,
                           .grad_norm = 2,
                           .tokens_per_second = 141000 };
    ck_assert_str_eq(lines_of(0, 1000000, 3599, row),
                     "step  500000/1000000  loss 0.0029  acc 100.0%  141k tok/s  59 min 59 s left\n"
                     "step  500000/1000000  validation  loss 0.0029  acc 100.0%\n");
    row.step = 500;
    ck_assert_str_eq(lines_of(0, 1000, 1, row),
                     "step  500/1000  loss 0.0029  acc 100.0%  lr 1.12e-03  141k tok/s  1 s left\n"
                     "step  500/1000  validation  loss 0.0029  acc 100.0%\n");
    row.scores.loss = 12345;
    ck_assert_ptr_nonnull(strstr(lines_of(0, 1000, 359995, row), "loss 1.23e+04  "));
    ck_assert_ptr_nonnull(strstr(lines_of(0, 1000, 359995, row), "  99 h 59 min left\n"));
    ck_assert_ptr_nonnull(strstr(lines_of(0, 1000, 5 * 86400 + 3 * 3600, row), "  5 d 03 h left\n"));
}

SUITE("progress")
