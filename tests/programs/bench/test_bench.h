/* Calls of the program bench in a test. */
#pragma once

#include "programs/bench/bench.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>

/* A configuration of two layers that trains in a moment: 8 examples of 3 + 1 + 3 tokens. */
#define BENCH_TINY                                                             \
    "[task]\nname = copy\nlength = 3\nsymbols = 5\n"                           \
    "[model]\nlayers = 2\nd_model = 16\nheads = 2\nd_ff = 24\ndropout = 0.1\n" \
    "[train]\nsteps = 5\nbatch_size = 8\neval_examples = 8\n[patterns]\nexamples = 0\n"

/* The program's function: it starts the built one for each measurement, or, where nothing is to be measured, one that
 * is not there. */
static inline int bench_program(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_bench_program(NULL, HL_BENCH_PROGRAM, argc, argv, out, err);
}
static inline int bench_nothing(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_bench_program(NULL, "/nowhere/bench", argc, argv, out, err);
}
#define BENCH_WITH(function, ...) \
    run_with((run_options){ .arguments = (const char *const[]){ __VA_ARGS__, NULL }, .program = (function) })
#define BENCH(...) BENCH_WITH(bench_program, __VA_ARGS__)
#define BENCH_NOTHING(...) BENCH_WITH(bench_nothing, __VA_ARGS__)
