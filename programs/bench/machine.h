/* What figures depend on besides the arguments: versions, the machine, the environment. */
#pragma once

#include "core/base/text.h"

#include <stdio.h>

/* Strings that live as long as the process. */
typedef struct hl_bench_software {
    const char *headlight; /* the version */
    const char *compiler;  /* name and version */
    const char *openblas;  /* version and how it was built, in its own words: "OpenBLAS 0.3.21 ... USE_OPENMP ..." */
    const char *core;      /* OpenBLAS's name for the kernels it uses ("SkylakeX") */
    const char *libxsmm;   /* the version; NULL in a build without it */
} hl_bench_software;

hl_bench_software hl_bench_machine_software(void);

/* Adds a line for everything known to slow down a run on this many threads: an OpenBLAS that is not its OpenMP build,
 * and variables of the environment. Adds nothing where there is nothing. */
void hl_bench_machine_warnings(hl_text *text, int threads);

/* Prints the warnings to `err`, and to `out` a few lines of heading: the software, the CPU, the threads.
 * HL_NO_MEMORY. */
hl_status hl_bench_machine_announce(int threads, FILE *out, FILE *err);
