/* y[m] = x[rows[m]]: rows of a tensor, in the order of a list. dx: row r gets the sum of all dy[m] with rows[m] = r, or
 * 0 if the list does not name it. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y for the N rows of x (..., D): row m is row rows[m] - base. The shape of y is rows_shape with D appended. A
 * row may occur several times. `rows` is not copied and must outlive the tape. Sticky error: a row outside 0 .. N - 1,
 * no rows, an impossible rows_shape. */
hl_tensor *hl_gather_rows(hl_tape *tape, hl_tensor *x, const int32_t *rows, int32_t base, hl_shape rows_shape);

HL_END_DECLS
