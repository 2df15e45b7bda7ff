/* What the processes of a run learn of each other before it begins: that they compute the same bits, and how they share
 * the cores of a machine. All of it is nothing for a process that is alone. */
#pragma once

#include "core/base/status.h"
#include "train/ranks/ranks.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* HL_INVALID on all of them where they are not of one version, or were started with different arguments: from here on
 * all have the same command. */
hl_status hl_processes_check_same(hl_ranks *ranks, int argc, char **argv);

/* A zeroed one is of a process that is alone. */
typedef struct hl_processes {
    struct hl_process *all; /* by rank; owned */
    int n, local; /* of all; of those on this machine, which share its memory; at least 1 once they have met, as */
    int sharing;  /* of those that share cores with this one, itself too */
} hl_processes;

/* Compares what decides about bits: the build, OpenBLAS with its kernels, LIBXSMM's target, the C library, the CPU.
 * Where they differ: HL_INVALID naming the first that do; with `mixed` one line to `err`, and ranks->mixed.
 * HL_NO_MEMORY. Must be freed with hl_processes_free, on failure too. */
hl_status hl_processes_meet(hl_ranks *ranks, bool mixed, FILE *err, hl_processes *processes);

/* The same; from then on hl_threads_default counts this process's share of the cores (core/base/threads.h). */
hl_status hl_processes_share(hl_ranks *ranks, bool mixed, FILE *err, hl_processes *processes);
void hl_processes_free(hl_processes *processes);

/* Prints a line where they want the same cores, or leave some idle, of the first machine where they do. `threads` of
 * each, as train.threads; 0: its share of the cores. */
void hl_processes_warn(const hl_processes *processes, int64_t threads, FILE *err);
