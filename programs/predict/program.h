/* The program predict: what a trained model answers. */
#ifndef HL_PROGRAMS_PREDICT_PROGRAM_H
#define HL_PROGRAMS_PREDICT_PROGRAM_H

#include <stdio.h>

/* Does what the command line asks for, reading standard input where that says so, and returns the exit code. */
int hl_predict_program(int argc, char **argv, FILE *out, FILE *err);

#endif
