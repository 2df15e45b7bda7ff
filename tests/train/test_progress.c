#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "train/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const hl_metrics_row training = { 30, "train", 1.23456, 0.5, 0.001, 2, 123456 };
static const hl_metrics_row validation = { 30, "validation", 0.5, 0.999, -1, -1, 5e6 };

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

START_TEST(elsewhere_than_on_a_terminal_every_row_is_a_line)
{
    const char *path = scratch_path("out");
    FILE *out = fopen(path, "w");
    play(out);
    fclose(out);
    size_t size;
    char *text = scratch_read(path, &size);
    char *second = strchr(text, '\n') + 1;
    ck_assert_int_eq(strncmp(text,
                             "step  30/300  loss 1.2346  accuracy  50.00%  rate 1.00e-03  123k tokens/s  0 s left",
                             (size_t)(second - 1 - text)),
                     0);
    ck_assert_str_eq(second, "step  30/300  validation  loss 0.5000  accuracy  99.90%\n");
    free(text);
}
END_TEST

START_TEST(on_a_terminal_one_line_renews_itself)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(terminal, 0);
    struct termios settings;
    ck_assert_int_eq(tcgetattr(terminal, &settings), 0);
    settings.c_oflag &= ~(tcflag_t)OPOST; /* no \r added to \n */
    ck_assert_int_eq(tcsetattr(terminal, TCSANOW, &settings), 0);
    FILE *out = fdopen(terminal, "w");
    play(out);
    char text[4096];
    ssize_t n = read(master, text, sizeof text - 1);
    ck_assert_int_gt(n, 0);
    text[n] = '\0';
    fclose(out);
    close(master);
#define STEP "step  30/300  loss 1.2346  accuracy  50.00%  rate 1.00e-03  123k tokens/s  0 s left"
#define NO_WRAP(line) "\033[?7l" line "\033[?7h"
    static const char expected[] =
        NO_WRAP(STEP) "\r\033[Kstep  30/300  validation  loss 0.5000  accuracy  99.90%\n" NO_WRAP(STEP) "\r\033[K";
    ck_assert_str_eq(text, expected); /* the second step came too soon to be shown */
}
END_TEST

START_TEST(without_an_output_nothing_happens)
{
    play(NULL);
}
END_TEST

START_TEST(the_time_left_follows_from_the_steps_of_this_process)
{
    const char *path = scratch_path("out");
    FILE *out = fopen(path, "w");
    static const double elapsed[] = { 3, 50, 2000 };
    for (int i = 0; i < 3; i++) {
        hl_progress progress = hl_progress_begin(out, 20, 70); /* resumed at 20: ten done, forty to go */
        progress.started -= elapsed[i];
        hl_progress_row(&progress, training);
    }
    fclose(out);
    size_t size;
    char *text = scratch_read(path, &size);
    ck_assert_ptr_nonnull(strstr(text, "  12 s left\n"));
    ck_assert_ptr_nonnull(strstr(text, "  3 min 20 s left\n"));
    ck_assert_ptr_nonnull(strstr(text, "  2 h 13 min left\n"));
    free(text);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, elsewhere_than_on_a_terminal_every_row_is_a_line);
    tcase_add_test(tc, on_a_terminal_one_line_renews_itself);
    tcase_add_test(tc, without_an_output_nothing_happens);
    tcase_add_test(tc, the_time_left_follows_from_the_steps_of_this_process);
}
SUITE("progress", add_tests)
