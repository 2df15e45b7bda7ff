/* y[m] = x[rows[m]]: rows of a tensor, in the order of a list. dx: row r gets the sum of the dy[m] with rows[m] = r,
 * and 0 where there is none. */
#ifndef HL_CORE_OPS_GATHER_ROWS_H
#define HL_CORE_OPS_GATHER_ROWS_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, of the shape (...) of `rows` with D appended, for the N rows of x (..., D). Row m is rows[m] - base; a row
 * may come several times. `rows` is not copied and must outlive the tape. Sticky error: a row outside 0 .. N - 1, no
 * rows, an impossible shape of theirs. */
hl_tensor *hl_gather_rows(hl_tape *tape, hl_tensor *x, const int32_t *rows, int32_t base, hl_shape rows_shape);

HL_END_DECLS

#endif
