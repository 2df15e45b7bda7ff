/* The program `train` as a function that tests can call. */
#pragma once

#include "train/ranks/ranks.h"

#include <stdio.h>

/* Runs the command line and returns the process's exit code (status.h; 128 + signal where one ended the run). Messages
 * for the user go to `out`, one line a problem to `err`. hl_threads_setup must have been called. */
int hl_train_program(int argc, char **argv, FILE *out, FILE *err);

/* The same as one of several processes; NULL: a single process. All return the same. The `out` and `err` of all ranks
 * except 0 must go nowhere, as hl_mpi_main arranges. */
int hl_train_program_together(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err);
