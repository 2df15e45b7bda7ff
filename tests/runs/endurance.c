#include "tests/runs/endurance.h"

#include "core/files/files.h"
#include "tests/runs/runs.h"
#include "tests/sanitized.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { ROWS = 100, VALIDATIONS = 20, SNAPSHOTS = 5, MOST_GROWTH_KIB = 256, MOST_GROWTH_BYTES = 128 };
enum { FIRST_LOOK = VALIDATIONS / 10, LAST_LOOK = VALIDATIONS * 8 / 10 /* checkpoints */ };

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

/* ---- in the process of the training ---- */

static hl_file_calls system_calls;

/* The process stops after each of the two checkpoints until the test has looked at it, however slow either of them is.
 * */
static int stopping_rename(const char *from, const char *to)
{
    static int checkpoints;
    static const char name[] = "/checkpoint.safetensors";
    int result = system_calls.rename(from, to);
    size_t length = strlen(to), end = sizeof name - 1;
    if (length >= end && strcmp(to + length - end, name) == 0) {
        checkpoints++;
        if (checkpoints == FIRST_LOOK || checkpoints == LAST_LOOK) {
            raise(SIGSTOP);
        }
    }
    return result;
}

static void stop_at_checkpoints(void)
{
    static hl_file_calls calls;
    system_calls = calls = *hl_file_calls_get();
    calls.rename = stopping_rename;
    hl_file_calls_set(&calls);
}

/* ---- looking at it ---- */

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

typedef struct sight {
    long kib;        /* resident */
    long long bytes; /* of the checkpoint */
} sight;

/* Waits until the process stops, which must be at `step`, looks, and lets it go on. */
static sight look_at(pid_t process, const char *folder, int64_t step)
{
    static const char checkpoint[] = "checkpoint.safetensors";
    int status;
    while (waitpid(process, &status, WUNTRACED) != process) {
        ck_assert_int_eq(errno, EINTR);
    }
    ck_assert_msg(WIFSTOPPED(status), "ended before step %" PRId64, step);
    ck_assert_int_eq(run_weights_step(run_file(folder, checkpoint)), step);
    sight found = { resident_kib(process), size_of(folder, checkpoint) };
    ck_assert_int_gt(found.kib, 0);
    ck_assert_int_eq(kill(process, SIGCONT), 0);
    return found;
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
    pid_t process = run_start((run_options){ .arguments = arguments, .before = stop_at_checkpoints });
    sight first = look_at(process, folder, steps / 10), last = look_at(process, folder, steps - steps / 5);
    run_result run = run_wait(process);
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    ck_assert_msg(SANITIZED || last.kib - first.kib <= MOST_GROWTH_KIB, "from %ld to %ld KiB", first.kib, last.kib);
    ck_assert_int_le(last.bytes - first.bytes, MOST_GROWTH_BYTES);
    ck_assert_int_le(size_of(folder, "checkpoint.safetensors") - first.bytes, MOST_GROWTH_BYTES);
    check_files(folder, steps);
    return (endurance){ .kib_at_first = first.kib, .kib_at_last = last.kib };
}
