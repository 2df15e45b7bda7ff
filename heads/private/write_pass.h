/* A pass of a model, split into what each layer adds to the residual stream; for writes.c and copies.c.
 *
 * The numbers of some rows of the batch are kept, in the order of these rows: at most R of them. With post-norm, each
 * layer has two norms on the residual path; with pre-norm, the whole encoder has one. */
#pragma once

#include "core/base/private/block.h"
#include "core/tape.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_write_layer {
    hl_real *z;            /* (R, H * Dv): the heads' outputs before W_O */
    hl_real *feed_forward; /* (R, D): what the feed-forward network adds, including its bias */
    hl_real *scale1;       /* (R): 1 / sigma of norm1; post-norm only */
    hl_real *scale2;       /* (R): 1 / sigma of norm2; with pre-norm, in the last layer, of the encoder's norm */
} hl_write_layer;

typedef struct hl_write_pass {
    const hl_model *model; /* not owned; nor are the arrays */
    hl_real *embedding;    /* (R, D): the input of the first layer */
    hl_real *hidden;       /* (R, D): the last hidden states, after the last norm */
    hl_write_layer layers[HL_MAX_LAYERS];

    const int32_t *rows; /* (n): rows of the current pass's batch, ascending; not owned */
    int64_t n;
    int joins; /* how many sums of the residual stream the pass has made so far: two for each layer,
                  one without feed-forward networks */
    /* Called after each attention has been added; may be NULL. x (N, D) is the residual that it is added to, and z (N,
     * H * Dv) the heads' outputs, both for all rows of the batch. */
    void (*attended)(void *context, int layer, int64_t n_rows, const hl_real *x, const hl_real *z);
    void *context;
    hl_tape_observer observer;
} hl_write_pass;

/* Takes the arrays for up to R rows. The model need not be allocated. */
void hl_write_pass_lay_out(hl_write_pass *pass, hl_block *block, const hl_model *model, int64_t R);

/* Prepares for one pass of the model, of which the given rows are kept. Returns the observer that the tape of the pass
 * must have. After the pass the arrays hold the n rows. */
const hl_tape_observer *hl_write_pass_begin(hl_write_pass *pass, const int32_t *rows, int64_t n);

/* g (n, D) holds the vectors by which a sum of writes is multiplied at the norm's output. They become those at its
 * input, with the norm's scale fixed: g = (g * gamma - its mean) * scale. shifts[i * stride] = g_i . beta, with g as it
 * was before; `shifts` is NULL if the norm has no beta. */
void hl_write_norm_backward(const hl_norm_layer *norm, const hl_real *scale, int64_t n, hl_real *g, double *shifts,
                            int64_t stride);

/* Turns the writes o (n, D) at the norm's input into those at its output, with the scale fixed and without beta: o = (o
 * - its mean) * scale * gamma. */
void hl_write_norm_forward(const hl_norm_layer *norm, const hl_real *scale, int64_t n, hl_real *o);
