/* The vectors of tokens, with the vectors of their positions and types added:
 *   y[n] = scale * W[ids[n]] + P[positions[n]] + S[types[n]]
 * W (V, D), P (max_length, D), S (types, D), ids, positions and types (N), y (N, D). P and S may be missing. Backward:
 *   dW: row v gets scale * the sum of all dy whose id is v;  dP: row p gets the sum of all dy whose position is p;
 *   dS: likewise. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

typedef struct hl_embedding_args {
    hl_tensor *W;
    hl_real scale;
    const int32_t *ids;
    hl_tensor *P;             /* or NULL */
    const int32_t *positions; /* needed only with P */
    hl_tensor *S;             /* or NULL */
    const int32_t *types;     /* NULL: every type is 0 */
    int64_t n;                /* N */
    int64_t longest;          /* every position is below this */
} hl_embedding_args;

/* Returns y. The arrays are not copied and must outlive the tape. Sticky error: an id outside 0 .. V - 1, a position
 * outside 0 .. max_length - 1, `longest` above max_length, a type that S does not have, no ids. */
hl_tensor *hl_embedding(hl_tape *tape, hl_embedding_args args);

/* The arguments of the embedding that `node` records, owned by the tape; NULL if it records another op. For observers
 * of a tape. */
const hl_embedding_args *hl_embedding_args_of(const hl_node *node);

HL_END_DECLS
