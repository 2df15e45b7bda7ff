/* What a sweep tells while it goes. */
#include "core/base/clock.h"
#include "programs/ablate/progress.h"
#include "tests/programs/ablate/tiny_plan.h"
#include "tests/runs/screen.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { SEEDS = 10 };

/* 20 cells of 24 steps each, "heads=1,seed=1" the first. */
static hl_ablate_plan *make_plan(void)
{
    hl_ablate_plan *plan = tiny_plan("1,2", SEEDS);
    ck_assert_int_eq(hl_ablate_plan_cells(plan), 2 * SEEDS);
    return plan;
}

static hl_ablate_running running(int64_t cell, int64_t first_step, int64_t step)
{
    return (hl_ablate_running){ .cell = cell,
                                .folder = { "runs/sweep/cell" },
                                .began = true,
                                .first_step = first_step,
                                .started = hl_clock_seconds(),
                                .threads = 1,
                                .glimpse = { step, 0.25, 0.5 } };
}

/* What `play` prints, to a file or to a progress that takes it for a terminal. */
static char *printed(void (*play)(hl_ablate_progress *progress), bool terminal)
{
    hl_ablate_plan *plan = make_plan();
    const char *path = scratch_path("out");
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    hl_ablate_progress progress = hl_ablate_progress_begin(out, plan, 3);
    ck_assert(!progress.terminal);
    progress.terminal = terminal;
    play(&progress);
    fclose(out);
    size_t size;
    return scratch_read(path, &size);
}

static void begin_and_end(hl_ablate_progress *progress)
{
    hl_ablate_running fresh = running(0, 0, -1), resumed = running(10, 12, 12);
    resumed.threads = 2;
    hl_ablate_progress_started(progress, &fresh);
    hl_ablate_progress_started(progress, &resumed);
    hl_status good = hl_ok(), failure = hl_error(HL_FAILED, "no space left");
    hl_ablate_result result = { HL_ABLATE_DONE, 24, 0.125, 0.75, -1, 90 };
    hl_ablate_progress_ended(progress, &fresh, &result, &good);
    result.seconds = NAN;
    hl_ablate_progress_ended(progress, &resumed, &result, &good);
    hl_ablate_progress_ended(progress, &resumed, &result, &failure);
    resumed.began = false; /* there is no log.txt of it */
    hl_ablate_progress_ended(progress, &resumed, &result, &failure);
    resumed.elsewhere = true;
    hl_ablate_progress_ended(progress, &resumed, &result, &good);
    ck_assert_int_eq(progress->n_elsewhere, 1);
    hl_ablate_progress_waits(progress, 0);
    hl_ablate_progress_waits(progress, 2);
    hl_ablate_progress_waits(progress, 1);
}

#define ENDED                                                                                 \
    "[ 4/20] heads=1,seed=1   loss 0.1250  acc  75.0%  1 min 30 s\n"                          \
    "[ 5/20] heads=2,seed=1   loss 0.1250  acc  75.0%\n"                                      \
    "[ 6/20] heads=2,seed=1   failed: no space left (all it said: runs/sweep/cell/log.txt)\n" \
    "[ 7/20] heads=2,seed=1   failed: no space left\n"                                        \
    "[ 8/20] heads=2,seed=1   loss 0.1250  acc  75.0%, in another call\n"

TEST(elsewhere_than_on_a_terminal_a_line_tells_of_each_beginning_and_end)
{
    char *text = printed(begin_and_end, false);
    ck_assert_str_eq(text, "        heads=1,seed=1   begins, 1 thread\n"
                           "        heads=2,seed=1   goes on after step 12, 2 threads\n" ENDED
                           "waiting for 2 trainings of other calls\n");
    free(text);
}

TEST(on_a_terminal_only_ends_stay)
{
    char *text = printed(begin_and_end, true);
    ck_assert_str_eq(text, ENDED);
    free(text);
}

static void draw_twice(hl_ablate_progress *progress)
{
    hl_ablate_running all[] = { running(0, 0, -1), running(19, 0, 0), running(10, 12, 12), running(10, 12, 24) };
    all[3].started -= 100; /* all its steps are done: nothing is left */
    hl_ablate_progress_draw(progress, all, 4, 0, NAN);
    ck_assert_int_eq(progress->n_lines, 5);
    progress->n_elsewhere = 1;
    hl_ablate_progress_draw(progress, all, 1, 2, 3600);
    ck_assert_int_eq(progress->n_lines, 2);
    hl_ablate_progress_clear(progress);
    ck_assert_int_eq(progress->n_lines, 0);
}

TEST(lines_on_a_terminal_are_renewed_in_their_place)
{
    char *text = printed(draw_twice, true);
    ck_assert_str_eq(text, "\033[?7l"
                           "        heads=1,seed=1   [                ]   0%\n"
                           "        heads=2,seed=10  [                ]   0%  loss 0.2500  acc  50.0%\n"
                           "        heads=2,seed=1   [========        ]  50%  loss 0.2500  acc  50.0%\n"
                           "        heads=2,seed=1   [================] 100%  loss 0.2500  acc  50.0%  0 s left\n"
                           "3 of 20 trainings ended, 4 going on\n"
                           "\033[?7h\033[5A\r\033[J\033[?7l"
                           "        heads=1,seed=1   [                ]   0%\n"
                           "3 of 20 trainings ended (1 in other calls), 1 going on, 2 in other calls, about 1 h 00 min "
                           "left\n"
                           "\033[?7h\033[2A\r\033[J");
    free(text);
}

static void draw_many(hl_ablate_progress *progress)
{
    hl_ablate_running all[30];
    for (int i = 0; i < 30; i++) {
        all[i] = running(i % 20, 0, -1);
    }
    hl_ablate_progress_draw(progress, all, 30, 0, NAN);
}

TEST(more_trainings_than_a_terminal_has_lines_are_not_all_shown)
{
    hl_ablate_plan *plan = make_plan();
    static const int heights[] = { 24, 10, 2, 1 }, lines[] = { 23, 9, 1, 1 }; /* the cursor needs a line, too */
    for (int i = 0; i < 4; i++) {
        const char *path;
        int master = screen_terminal(80, heights[i], &path);
        FILE *out = fopen(path, "w");
        ck_assert_ptr_nonnull(out);
        hl_ablate_progress progress = hl_ablate_progress_begin(out, plan, 0);
        draw_many(&progress);
        ck_assert_int_eq(progress.n_lines, lines[i]);
        fclose(out);
        close(master);
    }
}

TEST(a_terminal_of_unknown_height_is_taken_for_a_usual_one)
{
    char *text = printed(draw_many, true);
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    ck_assert_int_eq(lines, 23);
    free(text);
}

TEST(a_terminal_is_renewed_some_times_a_second)
{
    hl_ablate_plan *plan = make_plan();
    const char *path;
    setenv("TERM", "xterm", 1);
    int master = screen_terminal(80, 24, &path);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    hl_ablate_progress progress = hl_ablate_progress_begin(out, plan, 0);
    ck_assert(progress.terminal && hl_ablate_progress_due(&progress));
    setenv("TERM", "dumb", 1);
    ck_assert(!hl_ablate_progress_begin(out, progress.plan, 0).terminal);
    hl_ablate_progress_draw(&progress, NULL, 0, 0, NAN);
    progress.drawn += 60; /* however slow the machine is */
    ck_assert(!hl_ablate_progress_due(&progress));
    progress.drawn -= 61;
    ck_assert(hl_ablate_progress_due(&progress));
    progress.terminal = false;
    ck_assert(!hl_ablate_progress_due(&progress));
    fclose(out);
    close(master);
}

SUITE("ablate progress")
