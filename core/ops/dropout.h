/* y = x * m, where m is 0 with probability p and 1 / (1 - p) otherwise; dx = dy * m. Srivastava et al. 2014, inverted.
 * m of column d of row r is drawn by (the tape's seed, stream, the tape's step, the place of row r, d), see tape.h and
 * random.h. */
#ifndef HL_CORE_OPS_DROPOUT_H
#define HL_CORE_OPS_DROPOUT_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y for x (..., D); x itself where p is 0 or the tape does not train. Sticky error: a p
 * outside [0, 1), other rows than the tape has places. */
hl_tensor *hl_dropout(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream);

/* The same for rows that were gathered: row m of x (M, D) is drawn as row rows[m] - base of those that the tape has
 * places for. `rows` (M) is not copied and must outlive the tape; NULL: hl_dropout. Sticky error besides: a row that
 * the tape has no place for. */
hl_tensor *hl_dropout_rows(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream, const int32_t *rows, int32_t base);

HL_END_DECLS

#endif
