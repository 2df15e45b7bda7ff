/* The program `ablate` as a function that tests can call. */
#pragma once

#include <stdio.h>

/* Runs the command line and returns the process's exit code (status.h; HL_FAILED also where a training failed; 128 +
 * signal). `train`: the program that trains. Results go to `out`; `err` gets one line for each problem or notice.
 * hl_threads_setup must have been called. */
int hl_ablate_program(const char *train, int argc, char **argv, FILE *out, FILE *err);
