/* y = the rows of W that the ids name: W (V, D), ids (...), y (..., D).
 * dW: row v gets the sum of the dy whose id is v. */
#ifndef HL_CORE_OP_EMBEDDING_H
#define HL_CORE_OP_EMBEDDING_H

#include "core/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, of the ids' shape with D appended. `ids` (shape `ids_shape`, at most 3 dimensions) is not copied and must
 * outlive the tape. Sticky error: an id outside [0, V), no ids, an impossible shape of theirs. */
hl_tensor *hl_embedding(hl_tape *tape, hl_tensor *W, const int32_t *ids, hl_shape ids_shape);

HL_END_DECLS

#endif
