/* A small model of every op that sums over rows for a parameter, run over leaves of very different numbers of rows. */
#pragma once

#include "core/parameters.h"
#include "core/private/tape_leaves.h"

enum { LEAF_PASSES_LEAVES = 7, LEAF_PASSES_WIDTH = 96, LEAF_PASSES_ROWS = 37 + 64 + 130 + 1 + 70 + 3 };

typedef struct leaf_passes {
    hl_parameters parameters;
    int32_t ids[LEAF_PASSES_ROWS], positions[LEAF_PASSES_ROWS], targets[LEAF_PASSES_ROWS];
    int64_t places[LEAF_PASSES_ROWS];
    hl_real shift[LEAF_PASSES_WIDTH]; /* no parameter, and read by the first op */
    hl_tape_plan plan;                /* of 130 rows, and up to LEAF_PASSES_LEAVES leaves on 3 threads */
} leaf_passes;

/* The first row of a leaf, one of which has none; that of leaf LEAF_PASSES_LEAVES is LEAF_PASSES_ROWS. */
int leaf_passes_first(int leaf);

/* With `bf16` its linear maps multiply so. It goes when the test ends. */
leaf_passes *leaf_passes_make(bool bf16);

/* The sum of the losses of these rows, divided by all rows; its gradients where they are not NULL, which begin at 0. */
double leaf_passes_rows(leaf_passes *passes, int first, int n, hl_real *gradients);

/* The gradients of the leaves from `first` on, added to what is there. */
void leaf_passes_together(leaf_passes *passes, int threads, int first, int n, hl_real *gradients);
