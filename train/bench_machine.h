/* What the figures depend on besides the program: the machine and the libraries. */
#ifndef HL_TRAIN_BENCH_MACHINE_H
#define HL_TRAIN_BENCH_MACHINE_H

#include "heads/text.h"

/* OpenBLAS's name for the kernels it uses ("SkylakeX"). */
const char *hl_bench_machine_core(void);

/* A few lines: versions, compiler, CPU, OpenBLAS, LIBXSMM, threads. */
void hl_bench_machine_heading(hl_text *text, int threads);

/* A line for everything known that makes this run slower than the machine is: kernels that the environment forces on
 * OpenBLAS, another build of it. Adds nothing where there is nothing. */
void hl_bench_machine_warnings(hl_text *text);

#endif
