/* The program `heads`, as a function that tests can call. */
#ifndef HL_PROGRAMS_HEADS_PROGRAM_H
#define HL_PROGRAMS_HEADS_PROGRAM_H

#include <stdio.h>

/* Runs the command line and returns the process's exit code (status.h). Results go to `out`; `err` gets one line for
 * each problem or notice. hl_threads_setup must have been called. */
int hl_heads_program(int argc, char **argv, FILE *out, FILE *err);

#endif
