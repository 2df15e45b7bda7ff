/* The program `bench` as a function that tests can call. */
#pragma once

#include "train/ranks/ranks.h"

#include <stdio.h>

/* Runs the command line and returns the process's exit code (status.h). `program` is the path of the program itself,
 * which is started anew for each measurement and beside which the shipped configs lie. Results go to `out`, warnings
 * and one line for a failure to `err`. hl_start must have been called.
 *
 * `ranks`: this is one of several processes, all with the same command line; NULL: a single process. The first one
 * prints, and all return the same. HL_INVALID without --cluster. */
int hl_bench_program(hl_ranks *ranks, const char *program, int argc, char **argv, FILE *out, FILE *err);
