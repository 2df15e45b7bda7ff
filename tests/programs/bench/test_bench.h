/* Calls of the program bench in a test: its function, which starts the built program for each measurement. */
#pragma once

#include "programs/bench/bench.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A configuration of two layers that trains in a moment: 8 examples of 3 + 1 + 3 tokens. */
#define BENCH_TINY                                                             \
    "[task]\nname = copy\nlength = 3\nsymbols = 5\n"                           \
    "[model]\nlayers = 2\nd_model = 16\nheads = 2\nd_ff = 24\ndropout = 0.1\n" \
    "[train]\nsteps = 5\nbatch_size = 8\neval_examples = 8\n[patterns]\nexamples = 0\n"

/* The built bench, which lies beside the built train. */
static inline const char *bench_built(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", HL_TRAIN_PROGRAM);
    char *name = strrchr(path, '/') + 1;
    snprintf(name, sizeof path - (size_t)(name - path), "bench");
    ck_assert_msg(access(path, X_OK) == 0, "%s: not built", path);
    return path;
}

static inline const char *bench_read(FILE *file)
{
    static char text[1 << 16];
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return run_kept(text);
}

/* The arguments after the program's name, up to a NULL. */
static inline run_result bench_call(const char *program, const char *const *arguments)
{
    enum { MOST = 90 };
    char *argv[MOST] = { (char *)(size_t)program };
    const char *command = "";
    int argc = 1;
    for (; arguments[argc - 1] != NULL; argc++) {
        ck_assert_int_lt(argc, MOST - 1);
        argv[argc] = (char *)(size_t)arguments[argc - 1];
        command = scratch_format("%s %s", command, argv[argc]);
    }
    FILE *out = tmpfile(), *err = tmpfile();
    ck_assert(out != NULL && err != NULL);
    int code = hl_bench_program(NULL, program, argc, argv, out, err);
    return (run_result){ .code = code, .out = bench_read(out), .err = bench_read(err), .command = command };
}
#define BENCH(...) bench_call(bench_built(), (const char *const[]){ __VA_ARGS__, NULL })

/* The same where nothing is to be measured: no such program. */
#define BENCH_NOTHING(...) bench_call("/nowhere/bench", (const char *const[]){ __VA_ARGS__, NULL })
