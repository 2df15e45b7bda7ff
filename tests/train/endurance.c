#include "tests/train/endurance.h"

#include "tests/sanitized.h"
#include "tests/train/runs.h"
#include "train/ablate_result.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 100, VALIDATIONS = 20, SNAPSHOTS = 5, MOST_GROWTH_KIB = 256, MOST_GROWTH_BYTES = 128 };

static const char *config_of(int64_t steps)
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "[task]\nname = identity_copy\nlength = 3\nsymbols = 8\n"
                     "[model]\nlayers = 1\nd_model = 4\nheads = 1\nd_ff = 4\ndropout = 0.1\n"
                     "[train]\nsteps = %" PRId64 "\nbatch_size = 1\neval_examples = 2\nthreads = 1\n"
                     "log_every = %" PRId64 "\neval_every = %" PRId64 "\ncheckpoint_every = %" PRId64 "\n"
                     "keep_checkpoints = 2\n[patterns]\nexamples = 2\nevery = %" PRId64 "\n",
                     steps, steps / ROWS, steps / VALIDATIONS, steps / VALIDATIONS, steps / SNAPSHOTS);
    ck_assert_int_lt(n, (int)sizeof text);
    return run_config("endurance.ini", text);
}

/* What the process has in memory; -1 where it has ended. */
static long resident_kib(pid_t process)
{
    char path[64], line[256];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmRSS: %ld kB", &kib) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib;
}

static long long size_of(const char *folder, const char *name)
{
    struct stat info;
    ck_assert_int_eq(stat(run_file(folder, name), &info), 0);
    return info.st_size;
}

/* Goes on until the process has come to `step`, and returns what it has in memory. */
static long wait_for(pid_t process, const char *folder, int64_t step)
{
    long kib = 0;
    while (kib >= 0 && hl_ablate_glimpse_of(folder).step < step) {
        run_pause(1);
        kib = resident_kib(process);
    }
    kib = resident_kib(process);
    ck_assert_msg(kib > 0, "ended before step %" PRId64, step);
    return kib;
}

static void check_files(const char *folder, int64_t steps)
{
    char kept[256];
    snprintf(kept, sizeof kept,
             ".lock checkpoint-%" PRId64 ".safetensors checkpoint-%" PRId64 ".safetensors checkpoint.safetensors "
             "config.ini heads.csv metrics.csv model.safetensors patterns report.html vocab.txt ",
             steps - 2 * (steps / VALIDATIONS), steps - steps / VALIDATIONS);
    ck_assert_str_eq(run_list(folder), kept);
    int rows = 0, snapshots = 0;
    for (const char *at = run_read(run_file(folder, "metrics.csv")); (at = strchr(at, '\n')) != NULL; at++) {
        rows++;
    }
    for (const char *at = run_list(run_file(folder, "patterns")); (at = strchr(at, ' ')) != NULL; at++) {
        snapshots++;
    }
    ck_assert_int_eq(rows, 1 + ROWS + 1 + VALIDATIONS); /* the header; the untrained network is validated, too */
    ck_assert_int_eq(snapshots, 1 + SNAPSHOTS);
}

endurance endurance_of(int64_t steps)
{
    const char *folder = run_path("run");
    const char *arguments[] = { config_of(steps), "--out", folder, NULL };
    pid_t process = run_start((run_options){ .arguments = arguments, .built = true });
    endurance found = { .kib_at_first = wait_for(process, folder, steps / 10) };
    long long first_size = size_of(folder, "checkpoint.safetensors");
    found.kib_at_last = wait_for(process, folder, steps - steps / 5); /* while there is time left to look */
    run_result run = run_wait(process);
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    ck_assert_msg(SANITIZED || found.kib_at_last - found.kib_at_first <= MOST_GROWTH_KIB, "from %ld to %ld KiB",
                  found.kib_at_first, found.kib_at_last);
    ck_assert_int_le(size_of(folder, "checkpoint.safetensors") - first_size, MOST_GROWTH_BYTES);
    check_files(folder, steps);
    return found;
}
