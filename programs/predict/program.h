/* The program `predict`: a trained model's answers. */
#pragma once

#include <stdio.h>

/* Runs the command line, which may read standard input, and returns the exit code. */
int hl_predict_program(int argc, char **argv, FILE *out, FILE *err);
