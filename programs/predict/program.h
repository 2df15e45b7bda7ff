/* The program `predict`: a trained model's answers. */
#ifndef HL_PROGRAMS_PREDICT_PROGRAM_H
#define HL_PROGRAMS_PREDICT_PROGRAM_H

#include <stdio.h>

/* Runs the command line, which may read standard input, and returns the exit code. */
int hl_predict_program(int argc, char **argv, FILE *out, FILE *err);

#endif
