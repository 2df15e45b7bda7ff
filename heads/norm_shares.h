/* Attention by norms (Kobayashi et al. 2020, "Attention is not only a weight"): how much of each key's vector arrives,
 *   N_ij = A_ij |v_j W_O|,  as shares N_ij / sum over j of N_ij
 * v_j is the head's value vector, including its bias; with fewer key/value heads, it is that of the head's group. W_O
 * holds the head's rows of the output projection. The shares of a row sum to 1, as weights do. So everything that is
 * computed from weights can also be computed from shares. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/snapshot.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Runs the model on the snapshot's examples, up to `rows` rows at once, and turns the snapshot's weights into shares. A
 * row whose norms are all zero stays as it is. The model must be the one whose weights the snapshot holds. HL_INVALID
 * (the model is not allocated, T is too long for it), HL_NO_MEMORY; some rows may then already be shares. */
hl_status hl_norm_shares_take(hl_snapshot *snapshot, const hl_model *model, int64_t rows, int threads);

/* The bytes that this needs for E examples of T tokens. The model need not be allocated. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_norm_shares_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, int64_t rows, int threads,
                               size_t *bytes);

HL_END_DECLS
