#include "tests/runs/killing_files.h"

#include "tests/check_suite.h"
#include "tests/faults.h"

#include <signal.h>

static struct {
    int n, signal;
    killing_scope scope;
} next;

void killing_files_set(int n, int signal, killing_scope scope)
{
    next.n = n;
    next.signal = signal;
    next.scope = scope;
}

void killing_files_begin(void)
{
    faults_begin();
    faults_beside(next.scope == KILLING_BESIDE_SNAPSHOTS ? ".npz.tmp" : NULL);
    faults_in_files(next.n, FAULTS_SIGNAL, next.signal);
}

run_result killing_files_run(int n, int signal, killing_scope scope, const char *const *arguments)
{
    killing_files_set(n, signal, scope);
    return run_with((run_options){ .arguments = arguments, .before = killing_files_begin });
}

int killing_files_until_done(unsigned seed, const char *const *arguments)
{
    int kills = 0;
    for (int code = -1, most = 8; code != 0; most += most / 2) {
        seed = seed * 1664525 + 1013904223;
        int n = most / 2 + (int)(seed >> 8) % (most / 2);
        run_result run = killing_files_run(n, SIGKILL, KILLING_BESIDE_SNAPSHOTS, arguments);
        code = run.code;
        ck_assert_msg(code == 0 || code == RUN_KILLED + SIGKILL, "exit code %d: %s", code, run.err);
        kills += code != 0;
    }
    return kills;
}
