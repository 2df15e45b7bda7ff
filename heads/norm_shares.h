/* Attention by norms (Kobayashi et al. 2020, "Attention is not only a weight"): how much of each key's vector arrives,
 *   N_ij = A_ij |v_j W_O|,  as shares N_ij / sum over j of N_ij
 * with v_j the head's value vector (its bias included; with fewer key/value heads, that of the head's group) and W_O
 * the head's rows of the output projection. The shares of a row sum to 1 as weights do, so whatever is computed of
 * weights can be computed of them. */
#ifndef HL_HEADS_NORM_SHARES_H
#define HL_HEADS_NORM_SHARES_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/snapshot.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Runs the model on the snapshot's examples, up to `rows` rows at once, and turns the snapshot's weights into shares.
 * A row of weights without any norm stays as it is. The model must be the one whose weights the snapshot holds.
 * HL_INVALID (a model that is not allocated, T too long for it), HL_NO_MEMORY; some rows may then be shares already. */
hl_status hl_norm_shares_take(hl_snapshot *snapshot, const hl_model *model, int64_t rows, int threads);

/* The bytes that this takes for E examples of T tokens; the model need not be allocated. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_norm_shares_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, int64_t rows, int threads,
                               size_t *bytes);

HL_END_DECLS

#endif
