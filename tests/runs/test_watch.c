/* train --watch: the heads of a layer drawn while a run goes on. The tiny config: two layers of two heads, examples of
 * 7 tokens, 24 steps, a validation every 4. */
#include "core/base/clock.h"
#include "core/base/threads.h"
#include "programs/train/program.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/runs/screen.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static screen s;

static void use_locale_and_colours(const char *locale, const char *terminal)
{
    setenv("LC_ALL", locale, 1);
    setenv("TERM", terminal, 1);
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
}

/* Every validation row stands once, in order, above line `below`. */
static void expect_rows(int below)
{
    int last = -1;
    for (int step = 0; step <= 24; step += 4) {
        int row;
        const char *begin = scratch_format("step %2d/24  validation", step);
        ck_assert_int_eq(screen_count(&s, begin, &row), 1);
        ck_assert(row > last && row < below);
        last = row;
    }
}

TEST(a_terminal_without_sequences_gets_none)
{
    use_locale_and_colours("C.UTF-8", "dumb");
    const char *arguments[] = { run_tiny_config(), "--watch", "1", "--out", run_path("run"), NULL };
    ck_assert_int_eq(screen_run(&s, 80, 24, arguments), 0);
    const char *sent = run_read(run_path("sent"));
    ck_assert_ptr_nonnull(strstr(sent, "layer 1, step 24"));
    ck_assert_ptr_null(strpbrk(sent, "\033\r"));
}

LOOP_TEST(on_a_terminal_the_maps_stay_in_their_place, 0, 2)
{
    static const char *const terminals[] = { "xterm", "xterm-256color" };
    use_locale_and_colours("C.UTF-8", terminals[_i]);
    const char *arguments[] = { run_tiny_config(), "--watch", "1", "--out", run_path("run"), NULL };
    ck_assert_int_eq(screen_run(&s, 80, 24, arguments), 0);
    int row;
    ck_assert_int_eq(screen_count(&s, "layer 1, step ", NULL), 1); /* all earlier ones are gone */
    ck_assert_int_eq(screen_count(&s, "layer 1, step 24, mean of 2 examples  0 ", &row), 1);
    expect_rows(row);
    ck_assert_int_eq(strncmp(screen_line(&s, row - 1), "step 24/24  validation", 22), 0);
    const char *titles = screen_line(&s, row + 1);
    ck_assert_int_eq(strncmp(titles, "L1H0 ", 5), 0);
    ck_assert_ptr_nonnull(strstr(titles, "  L1H1 "));
    ck_assert_str_eq(screen_line(&s, row + 9), ""); /* after titles and 7 lines of maps */
    ck_assert_ptr_nonnull(strstr(screen_line(&s, row + 10), "/run, step 24: 4 heads, "));
    ck_assert_int_eq(s.n_lost, 0);
    ck_assert_int_eq(s.n_coloured > 0, _i == 1);
}

TEST(a_narrow_terminal_holds_many_heads)
{
    use_locale_and_colours("C.UTF-8", "xterm-256color");
    const char *arguments[] = { run_tiny_config(), "--watch=0", "model.heads=8", "task.length=20", "--out",
                                run_path("run"),   NULL };
    ck_assert_int_eq(screen_run(&s, 40, 20, arguments), 0);
    int row;
    ck_assert_int_eq(screen_count(&s, "layer 0, step ", NULL), 1);
    ck_assert_int_eq(screen_count(&s, "layer 0, step 24, mean of 2 examples", &row), 1);
    expect_rows(row);
    int lines = 0;
    for (; screen_line(&s, row + lines)[0] != '\0'; lines++) {
    }
    ck_assert_int_le(lines, 18); /* the line of progress and one above have room */
    for (int head = 0; head < 8; head++) {
        const char *title = scratch_format("L0H%d ", head);
        int found = 0;
        for (int i = 1; i < lines; i++) {
            found += strstr(screen_line(&s, row + i), title) != NULL;
        }
        ck_assert_msg(found == 1, "%s stands there %d times", title, found);
    }
    ck_assert_int_eq(s.n_lost, 0);
}

TEST(what_has_no_room_says_so_and_the_run_goes_on)
{
    use_locale_and_colours("C.UTF-8", "xterm-256color");
    const char *folder = run_path("run");
    const char *arguments[] = { run_tiny_config(), "--watch", "0", "--out", folder, NULL };
    ck_assert_int_eq(screen_run(&s, 80, 4, arguments), 0);
    int row;
    ck_assert_int_eq(screen_count(&s, "layer 0, step 24", &row), 1);
    expect_rows(row);
    ck_assert_str_eq(screen_line(&s, row + 1), "no room for the maps of 2 heads in 80 columns and 1 lines");
    ck_assert_str_ne(run_read(run_file(folder, "checkpoint.safetensors")), "");
}

TEST(elsewhere_every_snapshot_is_drawn)
{
    use_locale_and_colours("C", "xterm-256color");
    run_result run = OK(RUN(run_tiny_config(), "--watch", "1", "--out", run_path("run")));
    ck_assert_ptr_null(strchr(run.out, '\033'));
    const char *at = run.out;
    for (const int *step = (const int[]){ 0, 1, 2, 5, 10, 20, 24, -1 }; *step >= 0; step++) {
        const char *block = scratch_format("\nlayer 1, step %d, mean of 2 examples  0 .123", *step);
        at = strstr(at, block);
        ck_assert_msg(at != NULL, "%s is missing in %s", block, run.out);
        const char *titles = strchr(at + 1, '\n');
        ck_assert_int_eq(strncmp(titles, "\nL1H0 ", 6), 0);
        ck_assert_ptr_nonnull(strstr(titles, "  L1H1 "));
    }
    ck_assert_ptr_null(strstr(at + 1, "\nlayer 1, step"));
}

TEST(watching_changes_no_bit)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *piped = run_path("piped"),
               *seen = run_path("seen");
    EXPECT_RUN(0, config, "--watch", "0", "--out", piped);
    run_assert_same(straight, piped);
    const char *arguments[] = { config, "--watch", "1", "--out", seen, NULL };
    ck_assert_int_eq(screen_run(&s, 80, 24, arguments), 0);
    run_assert_same(straight, seen);
}

static int drawings_in(const char *sent)
{
    int n = 0;
    for (const char *at = sent; (at = strstr(at, "layer 1, step ")) != NULL; at++) {
        n++;
    }
    return n;
}

/* Snapshots are rare after a while; a terminal does not wait for them. */
TEST(a_terminal_is_drawn_to_between_snapshots)
{
    use_locale_and_colours("C.UTF-8", "xterm");
    const char *arguments[] = {
        run_tiny_config(), "--watch",       "1", "train.steps=5000", "patterns.every=0", "train.eval_every=5000",
        "--out",           run_path("run"), NULL
    };
    ck_assert_int_eq(screen_run(&s, 80, 24, arguments), 0);
    ck_assert_int_eq(screen_count(&s, "layer 1, step ", NULL), 1);
    ck_assert_int_gt(drawings_in(run_read(run_path("sent"))),
                     3); /* the first and the last step's, snapshots, are two; validation draws anew twice */
}

/* Four snapshots are drawn, so the run waits three times. */
TEST(at_a_pace_every_drawing_stands_its_time)
{
    use_locale_and_colours("C.UTF-8", "xterm");
    const char *config = run_tiny_config(), *folder = run_path("run"), *straight = run_path("straight");
    const char *arguments[] = { config, "--watch", "1", "--pace", "0.4", "patterns.every=8", "--out", folder, NULL };
    double begun = hl_clock_seconds();
    ck_assert_int_eq(screen_run(&s, 80, 24, arguments), 0);
    ck_assert_double_ge(hl_clock_seconds() - begun, 3 * 0.4);
    const char *sent = run_read(run_path("sent"));
    ck_assert_int_eq(screen_count(&s, "layer 1, step ", NULL), 1);
    for (int step = 0; step <= 24; step++) {
        char caption[64];
        snprintf(caption, sizeof caption, "layer 1, step %d,", step);
        ck_assert_int_eq(strstr(sent, caption) != NULL, step % 8 == 0);
    }
    EXPECT_RUN(0, config, "patterns.every=8", "--out", straight);
    run_assert_same(straight, folder);
}

/* Step 1 waits two seconds: taken for training, they would make the million steps last eleven days. */
TEST(waiting_counts_as_no_time_of_training)
{
    const char *arguments[] = { run_tiny_config(), "--watch",       "1", "--pace", "2", "train.steps=1000000",
                                "--out",           run_path("run"), NULL };
    pid_t process = run_start((run_options){ .arguments = arguments });
    run_pause(3300);
    ck_assert_int_eq(kill(process, SIGINT), 0);
    run_result run = run_wait(process);
    ck_assert_int_eq(run.code, 128 + SIGINT);
    const char *row = strstr(run.out, "step       2/1000000  loss "),
               *left = row != NULL ? strstr(row, " tok/s  ") : NULL;
    ck_assert_msg(left != NULL, "%s", run.out);
    long long n;
    char unit[8];
    ck_assert_int_eq(sscanf(left, " tok/s %lld %7s", &n, unit), 2);
    ck_assert_msg(strcmp(unit, "d") != 0 || n < 11, "%s", left);
}

/* A pause of an hour: Ctrl-C ends it, and the next step's training is not begun. */
TEST(an_interrupt_ends_the_waiting)
{
    const char *folder = run_path("run");
    const char *arguments[] = { run_tiny_config(), "--watch", "1", "--pace", "3600", "--out", folder, NULL };
    pid_t process = run_start((run_options){ .arguments = arguments });
    run_pause(700);
    ck_assert_int_eq(kill(process, 0), 0);
    double begun = hl_clock_seconds();
    ck_assert_int_eq(kill(process, SIGINT), 0);
    run_result run = FAILS_SAYING(run_wait(process), 128 + SIGINT, "interrupted after step 1, saved in ");
    ck_assert_double_lt(hl_clock_seconds() - begun, 10);
    ck_assert_int_eq(drawings_in(run.out), 2);
}

static void expect_refused(run_result run, const char *text)
{
    ck_assert_int_eq(run.code, 2);
    ck_assert_str_eq(run.err, text);
}

TEST(what_cannot_be_watched_is_refused)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    expect_refused(RUN(config, "--watch", "2", "--out", folder),
                   "command line: --watch: no layer 2; the model has 2, counted from 0: 0 .. 1\n");
    expect_refused(RUN(config, "--watch", "0", "patterns.examples=0", "--out", folder),
                   "command line: --watch: patterns.examples = 0 records nothing that could be shown; "
                   "set patterns.examples=32\n");
    expect_refused(RUN(config, "--watch", "2", "--check", "--out", folder),
                   "command line: --watch: no layer 2; the model has 2, counted from 0: 0 .. 1\n");
    ck_assert_str_eq(run_list(folder), "");
}

/* Every 5th allocation of a run fails once: memory is what it complains of, and nothing is lost. */
TEST(without_memory_it_says_so)
{
    char *argv[] = { (char *)(size_t) "train",         (char *)(size_t)run_tiny_config(),
                     (char *)(size_t) "train.steps=1", (char *)(size_t) "--overwrite",
                     (char *)(size_t) "--watch=1",     (char *)(size_t) "--out",
                     (char *)(size_t)run_path("run"),  NULL };
    FILE *out = fopen("/dev/null", "w");
    ck_assert_ptr_nonnull(out);
    hl_threads_setup();
    ck_assert_int_eq(hl_train_program(7, argv, out, out), 0);
    faults_begin();
    int failed = 0;
    for (int n = 1, code = -1; code != 0 || faults_allocations() >= n; n += 11) {
        faults_in_memory(n, FAULTS_ONCE);
        code = hl_train_program(7, argv, out, out);
        ck_assert_msg(code == 0 || code == 5, "allocation %d: exit code %d", n, code);
        ck_assert_msg(faults_live_blocks() == 0 && faults_open_files() == 0, "allocation %d: lost", n);
        failed += code == 5;
    }
    ck_assert_int_gt(failed, 10);
    faults_end();
    fclose(out);
}

SUITE("watch", .seconds = 60)
