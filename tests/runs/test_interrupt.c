/* How a signal ends a run: at once, after saving, and so that it goes on as if nothing had been. */
#include "core/base/memory.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static hl_file_calls system_calls;

/* A run that would go on for long, once it has begun. `before` as in run_options. */
static pid_t long_run(const char *config, const char *folder, void (*before)(void))
{
    const char *arguments[] = { config,
                                "train.steps=100000000",
                                "train.checkpoint_every=0",
                                "patterns.every=1000000000",
                                "train.eval_every=0",
                                "--out",
                                folder,
                                NULL };
    pid_t process = run_start((run_options){ .arguments = arguments, .before = before });
    for (int i = 0; i < 2000 && strstr(run_read(run_file(folder, "metrics.csv")), "train") == NULL; i++) {
        run_pause(5);
    }
    return process;
}

LOOP_TEST(a_signal_saves_and_ends_the_run, 0, 3)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    const char *config = run_tiny_config(), *folder = run_path("run");
    pid_t process = long_run(config, folder, NULL);
    kill(process, signals[_i]);
    run_result run = run_wait(process);
    FAILS_SAYING(run, 128 + signals[_i],
                 scratch_format("interrupted after step %s, saved", run_checkpoint_step(folder)));
    ck_assert_ptr_null(strstr(run.out, "L0H0"));
}

static void ignore_interrupts(void)
{
    signal(SIGINT, SIG_IGN);
}

TEST(a_signal_that_was_ignored_before_stays_ignored)
{
    const char *folder = run_path("run");
    pid_t process = long_run(run_tiny_config(), folder, ignore_interrupts);
    kill(process, SIGINT);
    run_pause(200);
    kill(process, SIGTERM); /* were it the second signal, it would end the run without saving */
    FAILS_SAYING(run_wait(process), 128 + SIGTERM, "interrupted after step");
}

/* Its first write to the disk takes for ever: only a second signal ends the process. */
static int stuck(int fd)
{
    (void)fd;
    return pause(); /* interrupted, it is called again */
}

static void stick_at_fsync(void)
{
    hl_file_calls calls = *hl_file_calls_get();
    calls.fsync = stuck;
    hl_file_calls_set(&calls);
}

/* The first one is answered while the run is still at what it was doing. */
TEST(a_second_signal_ends_it_at_once)
{
    const char *folder = run_path("run");
    const char *arguments[] = { run_tiny_config(), "--out", folder, NULL };
    pid_t process = run_start((run_options){ .arguments = arguments, .before = stick_at_fsync });
    run_pause(300);
    kill(process, SIGINT);
    const char *said = "";
    for (int i = 0; i < 200 && *said == '\0'; i++) {
        run_pause(10);
        said = run_read(run_path("err.txt"));
    }
    ck_assert_str_eq(said, "interrupted: finishing what is under way, then saving; again to end at once\n");
    ck_assert_int_eq(kill(process, 0), 0);
    kill(process, SIGTERM);
    run_result run = run_wait(process);
    ck_assert_int_eq(run.code, 128 + SIGTERM);
    ck_assert_str_eq(run.err, said);
}

/* ---- interrupted where it takes long ---- */

static char interrupting_row[32]; /* the beginning of one; "": none */
static const char *interrupting_path;

static ssize_t interrupting_write(int fd, const void *buffer, size_t count)
{
    ssize_t written = system_calls.write(fd, buffer, count);
    if (interrupting_row[0] != '\0' && strncmp(buffer, interrupting_row, strlen(interrupting_row)) == 0) {
        raise(SIGINT);
    }
    return written;
}

static int interrupting_rename(const char *from, const char *to)
{
    if (interrupting_path != NULL && strstr(to, interrupting_path) != NULL) {
        raise(SIGINT);
    }
    return system_calls.rename(from, to);
}

/* SIGINT comes when metrics.csv gets the row `interrupting_row`, or a file `interrupting_path` is put in its place. */
static void interrupt_itself(void)
{
    hl_file_calls calls = system_calls = *hl_file_calls_get();
    calls.write = interrupting_write;
    calls.rename = interrupting_rename;
    hl_file_calls_set(&calls);
}

/* Of every step, the last one too; among the snapshots are some that only the loss calls for. */
TEST(interrupted_in_its_validation_a_step_is_validated_when_the_run_goes_on)
{
    enum { STEPS = 12 };
    const char *straight = run_path("straight"), *folder = run_path("run");
    const char *arguments[] = { run_tiny_config(),
                                "train.steps=12",
                                "train.log_every=1",
                                "train.eval_every=1",
                                "train.checkpoint_every=5",
                                "train.keep_checkpoints=9",
                                "--resume",
                                "--out",
                                straight,
                                NULL };
    OK(run_train(arguments));
    ck_assert_int_gt(run_count_snapshots(straight), 6); /* 0, 1, 2, 5, 10, 12 */
    arguments[8] = folder;
    for (int step = 1; step <= STEPS; step++) {
        snprintf(interrupting_row, sizeof interrupting_row, "%d,train,", step);
        run_result run = run_with((run_options){ .arguments = arguments, .before = interrupt_itself });
        ck_assert_msg(run.code == 128 + SIGINT, "step %d: exit code %d: %s", step, run.code, run.err);
        ck_assert_int_eq(atoi(run_checkpoint_step(folder)), step);
        char validation[32];
        snprintf(validation, sizeof validation, "\n%d,validation", step);
        ck_assert_ptr_null(strstr(run_read(run_file(folder, "metrics.csv")), validation));
    }
    interrupting_row[0] = '\0';
    OK(run_train(arguments));
    run_assert_same(straight, folder);
    run_assert_same_file(straight, folder, "heads.csv");
    ck_assert_str_eq(run_list(straight), run_list(folder));
}

TEST(a_signal_does_not_wait_for_the_end_of_a_validation)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    const char *arguments[] = {
        config, "train.eval_examples=40000", "train.steps=1", "--resume", "--out", folder, NULL
    };
    pid_t process = run_start((run_options){ .arguments = arguments });
    for (int i = 0; i < 4000 && strstr(run_read(run_file(folder, "metrics.csv")), "1,train") == NULL; i++) {
        run_pause(1);
    }
    run_pause(20); /* it is at its second one */
    kill(process, SIGINT);
    run_result run = run_wait(process);
    ck_assert_int_eq(run.code, 128 + SIGINT);
    ck_assert_ptr_null(strstr(run_read(run_file(folder, "metrics.csv")), "1,validation"));
    OK(run_train(arguments));
    EXPECT_RUN(0, config, arguments[1], arguments[2], "--out", straight);
    run_assert_same(straight, folder);
}

/* When the last checkpoint is written; when what the heads do is. */
LOOP_TEST(a_signal_after_the_last_step_ends_the_run, 0, 2)
{
    static const char *const moments[] = { "checkpoint.safetensors", "heads.csv" };
    const char *config = run_tiny_config(), *folder = run_path("run"), *err = run_path("err.txt");
    const char *arguments[] = { config, "train.checkpoint_every=0", "--out", folder, NULL };
    interrupting_path = moments[_i];
    run_result run = run_with((run_options){ .arguments = arguments, .before = interrupt_itself });
    interrupting_path = NULL;
    ck_assert_int_eq(run.code, 128 + SIGINT);
    ck_assert_str_eq(run_checkpoint_step(folder), "24");
    ck_assert(!scratch_exists(run_file(folder, "heads.csv")) && !scratch_exists(run_file(folder, "report.html")));
    ck_assert_ptr_nonnull(strstr(run_read(err), "--resume"));
    ck_assert_int_eq(strstr(run.out, "L0H0") != NULL, _i == 1);
    OK(RUN(config, "train.checkpoint_every=0", "--resume", "--out", folder));
    ck_assert(scratch_exists(run_file(folder, "heads.csv")) && scratch_exists(run_file(folder, "report.html")));
}

SUITE("interrupt")
