/* The lengths of the vectors that a head writes into the residual stream: |x W_O|. x has the width Dv; it is the head's
 * output z or a value v. W_O (Dv, D) holds the head's rows of the output projection. With G = W_O W_O^T (Dv, Dv), |x
 * W_O|^2 = x G x^T, so nothing of width D is computed. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* G for every head of a model. Owned by the caller, who frees it with hl_written_norms_free. A zeroed struct is
 * empty. */
typedef struct hl_written_norms {
    hl_real *grams;                      /* of all heads, by layer and head, (Dv, Dv) each; owned */
    const hl_real *layer[HL_MAX_LAYERS]; /* the part of each layer, (H, Dv, Dv) */
} hl_written_norms;

/* Computes G from the model's weights. HL_INVALID (the model is not allocated), HL_NO_MEMORY; *norms is then empty. */
hl_status hl_written_norms_init(hl_written_norms *norms, const hl_model *model, int threads);

void hl_written_norms_free(hl_written_norms *norms);

/* The bytes of `grams`. The model need not be allocated. */
size_t hl_written_norms_bytes(const hl_model *model);

/* How many numbers of scratch hl_written_norms_of needs for n rows of a head of width d_v. */
int64_t hl_written_norms_scratch(int64_t n, int64_t d_v);

/* lengths[i * lengths_stride] = |x_i W_O| for the n rows x_i (d_v) of x, which begin `stride` numbers apart. `gram` is
 * the head's G. */
void hl_written_norms_of(int threads, int64_t n, int64_t d_v, const hl_real *x, int64_t stride, const hl_real *gram,
                         hl_real *scratch, double *lengths, int64_t lengths_stride);

HL_END_DECLS
