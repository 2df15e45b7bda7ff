#include "tests/runs/kills.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

enum { MORE_CALLS_THAN_IT_MAKES = 10000 };

/* Every update writes a row, so there are calls at every step; keeping checkpoints links and unlinks. It resumes, or
 * begins where there is nothing. */
static run_result run_until(int n, int signal, killing_scope scope, const char *folder)
{
    const char *arguments[] = { run_tiny_config(),
                                "train.steps=9",
                                "train.log_every=1",
                                "train.eval_every=3",
                                "train.checkpoint_every=2",
                                "train.keep_checkpoints=2",
                                "train.patience=3",
                                "patterns.every=4",
                                "--resume",
                                "--out",
                                folder,
                                NULL };
    return killing_files_run(n, signal, scope, arguments);
}

static void run_to_the_end(const char *folder, int n)
{
    run_result run = run_until(0, SIGKILL, KILLING_AT_ALL_CALLS, folder);
    ck_assert_msg(run.code == 0, "killed at %d: exit code %d: %s", n, run.code, run.err);
}

static const char *straight_run(void)
{
    const char *folder = run_path("straight");
    run_to_the_end(folder, 0);
    const char *kept = "checkpoint-6.safetensors checkpoint-8.safetensors checkpoint.safetensors config.ini ";
    ck_assert_ptr_nonnull(strstr(run_list(folder), kept));
    return folder;
}

static void compare(const char *straight, const char *folder, int n)
{
    run_assert_same(straight, folder);
    ck_assert_msg(strcmp(run_list(straight), run_list(folder)) == 0, "ended at %d: %s", n, run_list(folder));
}

int kills_of_runs_at_calls(int stride, killing_scope scope)
{
    const char *straight = straight_run(), *folder = run_path("killed");
    int hits = 0, code = RUN_KILLED + SIGKILL;
    for (int n = 1; code != 0; n += stride) {
        code = run_until(n, SIGKILL, scope, folder).code;
        ck_assert_msg(code == 0 || code == RUN_KILLED + SIGKILL, "killed at %d: exit code %d", n, code);
        hits += code != 0;
        run_to_the_end(folder, n);
        compare(straight, folder, n);
        scratch_remove(folder);
    }
    return hits;
}

int kills_again_and_again(int signal, int stride)
{
    const char *straight = straight_run(), *folder = run_path("killed");
    int hits = 0, code = RUN_KILLED + signal, n = 1;
    for (; code != 0; n += stride) {
        ck_assert_int_lt(n, MORE_CALLS_THAN_IT_MAKES);
        code = run_until(n, signal, KILLING_BESIDE_SNAPSHOTS, folder).code;
        bool saved = signal == SIGINT && code == 128 + SIGINT;
        bool killed = code == RUN_KILLED + signal; /* by SIGINT: before it listens to it */
        ck_assert_msg(code == 0 || saved || killed, "ended at %d: exit code %d", n, code);
        ck_assert(!saved || scratch_exists(run_file(folder, "checkpoint.safetensors")));
        hits += saved || (killed && signal == SIGKILL);
    }
    compare(straight, folder, n);
    return hits;
}
