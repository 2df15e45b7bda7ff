/* Runs that receive a signal at their n-th file call (tests/faults.h). */
#pragma once

#include "tests/runs/runs.h"

/* Which calls count. A snapshot is written in hundreds of small pieces before its name is there: tests
 * that lack the time count only its opening, its closing and its renaming. */
typedef enum killing_scope { KILLING_AT_ALL_CALLS, KILLING_BESIDE_SNAPSHOTS } killing_scope;

/* What happens just before the n-th call (0: never) of a process that then calls killing_files_begin: it receives
 * `signal` (SIGKILL: in the middle of a write, half of it is written). */
void killing_files_set(int n, int signal, killing_scope scope);

/* Puts the counting tables in the place of the system's; for run_options.before. */
void killing_files_begin(void);

/* Both, for one run of train. */
run_result killing_files_run(int n, int signal, killing_scope scope, const char *const *arguments);

/* Runs train again and again, each time killed later, at calls by chance that `seed` chooses, until it ends. Returns
 * how often it was killed. */
int killing_files_until_done(unsigned seed, const char *const *arguments);
