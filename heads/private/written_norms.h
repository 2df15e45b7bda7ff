/* The lengths of the vectors that a head writes into the residual stream: |x W_O|. x has the width Dv; it is the head's
 * output z or a value v. W_O (Dv, D) holds the head's rows of the output projection. With G = W_O W_O^T (Dv, Dv), |x
 * W_O|^2 = x G x^T, so nothing of width D is computed. */
#pragma once

#include "core/base/private/block.h"
#include "core/base/status.h"
#include "core/ops/attention.h"
#include "layers/model.h"

#include <stdint.h>

typedef struct hl_written_norms {
    const hl_model *model; /* not owned; nor are the arrays */
    int threads;
    hl_real *grams[HL_MAX_LAYERS]; /* of each layer, (H, Dv, Dv): G of every head */
    hl_real *scratch;              /* (rows, the widest Dv) */
    double *lengths;               /* (rows): of the rows last measured */
} hl_written_norms;

/* Takes the arrays, for up to `rows` rows at once. The model need not be allocated. */
void hl_written_norms_lay_out(hl_written_norms *norms, hl_block *block, const hl_model *model, int64_t rows);

/* Computes G from the model's weights. */
void hl_written_norms_begin(hl_written_norms *norms, int threads);

/* Sets lengths[i] = |x_i W_O| for the n rows x_i (Dv) of x, which begin `stride` numbers apart. */
void hl_written_norms_of(const hl_written_norms *norms, int layer, int64_t head, int64_t n, const hl_real *x,
                         int64_t stride);

/* The same for the values v_j of a head in an attention that runs, those of its group, of all rows. */
void hl_written_norms_of_values(const hl_written_norms *norms, int layer, int64_t head, const hl_attention_args *args);
