/* y[m] = the mean of the rows of the sequence that row rows[m] lies in: x (N, D), y (M, D). Backward: each row of a
 * sequence of n rows gets dy[m] / n of every m whose row lies in it, and 0 where there is none. */
#ifndef HL_CORE_OP_MEAN_ROWS_H
#define HL_CORE_OP_MEAN_ROWS_H

#include "core/declarations.h"
#include "core/sequences.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y. `rows` (M) ascend and count as the sequences' offsets do, which, as rows, stand for all sequences. Both
 * must outlive the tape. Sticky error: sequences that are not the rows of x, a row outside them or below the one
 * before, no rows. */
hl_tensor *hl_mean_rows(hl_tape *tape, hl_tensor *x, hl_sequences sequences, const int32_t *rows, int64_t n_rows);

HL_END_DECLS

#endif
