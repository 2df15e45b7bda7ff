/* y = x * m, where m is 0 with probability p and 1 / (1 - p) otherwise; dx = dy * m. Srivastava et al. 2014, inverted.
 * m of column d of row r is drawn by (the tape's seed, stream, the tape's step, the place of row r, d), see tape.h and
 * random.h. */
#ifndef HL_CORE_OP_DROPOUT_H
#define HL_CORE_OP_DROPOUT_H

#include "core/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y for x (..., D); x itself where p is 0 or the tape does not train. Sticky error: a p
 * outside [0, 1), other rows than the tape has places. */
hl_tensor *hl_dropout(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream);

HL_END_DECLS

#endif
