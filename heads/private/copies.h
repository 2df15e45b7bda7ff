/* Whether heads copy the tokens that they look at (hl_copies in heads/writes.h); for writes.c. */
#pragma once

#include "core/base/status.h"
#include "core/batch.h"
#include "core/kernels/random.h"
#include "heads/private/answer_path.h"
#include "heads/private/write_pass.h"
#include "heads/writes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was found at one position for one head. */
typedef struct hl_copied {
    int32_t seen;    /* the token at the key with the largest weight */
    int32_t written; /* the token whose logit the head's write raises most */
} hl_copied;

typedef struct hl_copies_probe {
    struct hl_copies_measuring *all;
    int64_t first; /* the number of the layer's first head */
} hl_copies_probe;

typedef struct hl_copies_measuring {
    const hl_model *model; /* not owned; nor are the arrays */
    int64_t n_heads;       /* of all layers */
    int64_t n;             /* the number of positions so far */
    hl_random random;      /* draws them: */
    int64_t offered, left; /* how many rows may still be offered; how many of these become positions */
    uint64_t at;           /* the number of the next one */
    hl_copied *found;      /* (HL_COPIES_POSITIONS, n_heads) */
    bool *scores;          /* (HL_COPIES_POSITIONS): whether the position's example is odd-numbered */
    int64_t *counts;       /* (V): how often each token was looked at; zero between two uses */
    hl_head_probe probes[HL_MAX_LAYERS];
    hl_copies_probe layers[HL_MAX_LAYERS];

    /* Of the current slice. */
    const hl_batch *batch;
    int32_t *slot; /* (one for each row there is room for): the number of the row's position; -1: none */
    int64_t begin; /* the number of the slice's first position */
    hl_real *z, *o, *hidden, *scale; /* for a block of positions: (block, Dv), (block, D) twice, (block) */
    hl_real *logits;                 /* (block, C) */
} hl_copies_measuring;

/* Takes the arrays for slices of up to `most_rows` rows, and sets the probes. The model need not be allocated. */
void hl_copies_lay_out(hl_copies_measuring *c, hl_block *block, const hl_model *model, int64_t most_rows);

/* Prepares for n offered rows: at most HL_COPIES_POSITIONS of them become positions, each set of so many with the same
 * probability. */
void hl_copies_draw(hl_copies_measuring *c, uint64_t seed, int64_t n);

/* Begins a slice, before its pass: no row of it is a position yet. The pass must use c->probes. */
void hl_copies_begin(hl_copies_measuring *c, const hl_batch *batch);

/* Offers row `row` of the slice, which becomes a position if it is drawn; without hl_copies_draw none is. Rows must
 * ascend. */
void hl_copies_take(hl_copies_measuring *c, int64_t row, bool scores);

/* Call it after the pass: finds what heads wrote at the slice's positions. `pass` must have kept their rows; it may
 * have kept others too. */
hl_status hl_copies_add(hl_copies_measuring *c, const hl_write_pass *pass, hl_answer_path *path);

/* Writes the results into the heads' `copies`. */
void hl_copies_end(const hl_copies_measuring *c, hl_head_writes *heads);
