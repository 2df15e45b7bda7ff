#include "tests/runs/told_memory.h"

#include "tests/runs/runs.h"
#include "tests/sanitized.h"
#include "train/footprint.h"

#include <check.h>
#include <math.h>
#include <sys/resource.h>

static double told_mib(const char *path)
{
    hl_config config;
    hl_problems problems = { 0 };
    ck_assert_int_eq(hl_config_load((hl_config_options){ .path = path }, &config, &problems).code, HL_OK);
    hl_footprint footprint;
    ck_assert_int_eq(hl_footprint_of_config(&config, &footprint).code, HL_OK);
    return (double)footprint.total / (1 << 20);
}

static void expect_told(const char *path, double share)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    double taken = (double)usage.ru_maxrss / 1024, told = told_mib(path);
    ck_assert_msg(fabs(taken - told) <= fmax(8, share * taken), "%g MiB taken, %g told", taken, told);
}

static void run_steps(const char *path, const char *steps, const char *mode)
{
    run_result run = RUN_BUILT(path, "--out", run_path("run"), "--quiet", steps, mode);
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
}

void told_memory_check(const char *name)
{
    if (SANITIZED) {
        return; /* which takes memory of its own */
    }
    const char *path = run_shipped_config(name);
    run_steps(path, "train.steps=2", NULL);
    expect_told(path, 0.1);
}

void told_memory_check_resumed(const char *text)
{
    if (SANITIZED) {
        return;
    }
    const char *path = run_config("resumed.ini", text);
    run_steps(path, "train.steps=1", NULL);
    expect_told(path, 0.05);
    run_steps(path, "train.steps=2", "--resume");
    expect_told(path, 0.05);
}
