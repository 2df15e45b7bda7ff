#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So that the program starts itself once more. */
static void wait_as_usual(void)
{
    unsetenv("OMP_WAIT_POLICY");
    unsetenv("GOMP_SPINCOUNT");
}

static void wait_passively(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 1);
}

static void expect_first_line(const char *path, const char *expected)
{
    char line[32] = "";
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL && fgets(line, sizeof line, file) != NULL, "%s cannot be read", path);
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    ck_assert_str_eq(line, expected);
}

/* How many threads the folder lists. Each must have this name, where name is not NULL. */
static int look_at_threads(const char *threads, const char *name)
{
    int n = 0;
    for (const char *id = run_list(threads); *id != '\0'; id += strcspn(id, " ") + 1) {
        if (*id != '.') {
            n++;
            if (name != NULL) {
                const char *file = scratch_format("%.*s/comm", (int)strcspn(id, " "), id);
                expect_first_line(run_file(threads, file), name);
            }
        }
    }
    return n;
}

/* Every thread of a run on two threads, started by this path, has this name. Under a
 * sanitizer the second thread may begin long after the first file is written. */
static void expect_name(const char *program, void (*before)(void), const char *name)
{
    const char *folder = run_path(before == wait_as_usual ? "usual" : "passive");
    const char *arguments[] = { run_tiny_config(), "train.steps=1000000", "train.threads=2", "--out", folder, NULL };
    pid_t process =
        run_start((run_options){ .arguments = arguments, .built = true, .built_program = program, .before = before });
    const char *threads = scratch_format("/proc/%d/task", (int)process);
    const char *metrics = run_file(folder, "metrics.csv");
    for (int i = 0; i < 2000 && (!scratch_exists(metrics) || look_at_threads(threads, NULL) < 2); i++) {
        run_pause(10);
    }
    ck_assert_int_ge(look_at_threads(threads, name), 2);
    kill(process, SIGKILL);
    ck_assert_int_eq(run_wait(process).code, RUN_KILLED + SIGKILL);
}

TEST(a_running_program_shows_its_own_name)
{
    expect_name(HL_TRAIN_PROGRAM, wait_as_usual, "train");
    expect_name(HL_TRAIN_PROGRAM, wait_passively, "train");
}

TEST(a_running_program_shows_the_name_that_it_was_called_by)
{
    const char *link = run_path("headlight-train");
    ck_assert_int_eq(symlink(HL_TRAIN_PROGRAM, link), 0);
    expect_name(link, wait_as_usual, "headlight-train");
    expect_name(link, wait_passively, "headlight-train");
}

SUITE("how a program starts", .seconds = 60)
