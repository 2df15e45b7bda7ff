/* The program `heads` as a function that tests can call. */
#pragma once

#include "train/ranks/ranks.h"

#include <stdio.h>

/* Runs the command line and returns the process's exit code (status.h). Results go to `out`; `err` gets one line for
 * each problem or notice. hl_threads_setup must have been called. */
int hl_heads_program(int argc, char **argv, FILE *out, FILE *err);

/* The same as one of several processes; NULL: a single process. For verbs that share (verb.h), all processes measure.
 * Only rank 0 does everything else and writes. The other ranks must have an `out` and `err` that go nowhere. */
int hl_heads_program_together(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err);
