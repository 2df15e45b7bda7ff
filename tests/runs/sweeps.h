/* Runs of the program ablate in a test, each in a process of its own, and what they leave. Failures here end the
 * test. */
#pragma once

#include "tests/runs/runs.h"

/* The program's function, as run_options.program takes it. */
int sweep_program(int argc, char **argv, FILE *out, FILE *err);

/* Starts a sweep; to be waited for by run_wait. */
pid_t sweep_start(const char *const *arguments);

/* Both. ABLATE("tiny.ini", "--heads", "1,2", "--out", folder) */
run_result sweep_run(const char *const *arguments);
#define ABLATE(...) sweep_run((const char *const[]){ __VA_ARGS__, NULL })

/* The content of the folder's ablation.csv; "" where there is none. */
const char *sweep_csv(const char *folder);

/* The same without its seconds, the last column but one; stands until the next call but one. */
const char *sweep_untimed(const char *folder);

/* How many processes have the text among their arguments, this one and `but` aside; *one is one of them. */
int sweep_processes(const char *text, pid_t but, pid_t *one);
