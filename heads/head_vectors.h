/* What a head reads and writes, as vectors of the residual stream: the columns of its matrices, in double. */
#pragma once

#include "core/base/declarations.h"
#include "layers/encoder_layer.h"
#include "layers/head_parts.h"
#include "layers/model_config.h"

HL_BEGIN_DECLS

/* The number of vectors: Dk for HL_PART_Q and HL_PART_K, Dv for HL_PART_V and HL_PART_O. */
int64_t hl_head_vectors_count(const hl_multi_head *layer, int part);

/* The largest number of vectors of any head of a model. */
int64_t hl_head_vectors_most(const hl_model_config *config);

/* Writes the vectors of one head as columns (D, count). With HL_PART_Q, _K and _V: the rows of the head's W_Q, W_K or
 * W_V; with pre-norm, times the gains of the norm before the attention. With HL_PART_O: the columns of W_O. */
void hl_head_vectors(const hl_encoder_layer *layer, int64_t head, int part, double *columns);

HL_END_DECLS
