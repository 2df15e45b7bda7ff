#include "tests/train/told_memory.h"

#include "tests/sanitized.h"
#include "tests/train/runs.h"
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

void told_memory_check(const char *name)
{
    if (SANITIZED) {
        return; /* which takes memory of its own */
    }
    const char *path = run_shipped_config(name);
    run_result run = RUN_BUILT(path, "--out", run_path("run"), "--quiet", "train.steps=2");
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    double taken = (double)usage.ru_maxrss / 1024, told = told_mib(path);
    ck_assert_msg(fabs(taken - told) <= fmax(8, 0.1 * taken), "%g MiB taken, %g told", taken, told);
}
