/* Activation patching of one pair of inputs, or of the pairs of a file (heads/patch.h), and its results. */
#pragma once

#include "heads/estimate.h"
#include "programs/heads/deliver.h"
#include "programs/heads/input.h"

#include <stdio.h>

/* What was patched: a head, all heads of a layer, its feed-forward network, or the heads of --heads together. */
typedef enum hl_patched_kind {
    HL_PATCHED_HEAD,
    HL_PATCHED_ATTENTION,
    HL_PATCHED_FEED_FORWARD,
    HL_PATCHED_SET
} hl_patched_kind;

typedef struct hl_patched {
    hl_patched_kind kind;
    int layer;
    int64_t head;
    double *effects;      /* of each pair; NaN if clean and corrupt differ too little */
    hl_estimate estimate; /* the mean of those that are not NaN, with its standard error */
} hl_patched;

typedef struct hl_heads_patching {
    const hl_opened_model *run;
    const hl_heads_command *command;
    FILE *err;
    int64_t n_pairs, n_used; /* pairs, and those that count */
    hl_patched *rows;        /* owned, as are their effects */
    double *effects;
    int64_t n_rows;

    /* Of the only pair, without --pairs. */
    hl_heads_input clean, corrupt; /* owned */
    int64_t position;
    int32_t right, wrong;
    double d_clean, d_corrupt;
    hl_real *residual; /* (L, T): the stream after each layer, token by token, as floats; owned; NULL with --pairs or
                          --heads */
} hl_heads_patching;

/* Measures what is requested. The model must have been loaded. HL_INVALID: texts that cannot be read or differ in
 * length (both are then printed to `err`, token by token), answers that are unknown or equal, a position that must be
 * given; for --pairs, the message names file and line. HL_BAD_FILE, HL_NO_MEMORY, the failure of the progress. Must be
 * freed on failure too. */
hl_status hl_heads_patching_measure(hl_heads_patching *patching, const hl_opened_model *run,
                                    const hl_heads_command *command, FILE *err);
void hl_heads_patching_free(hl_heads_patching *patching);
