/* y[m] = the mean of the rows of the sequence that row rows[m] lies in, or its last row alone: x (N, D), y (M, D).
 * Backward: each row of a mean of n rows gets dy[m] / n of every m whose row lies in its sequence; others get 0. */
#ifndef HL_CORE_OPS_MEAN_ROWS_H
#define HL_CORE_OPS_MEAN_ROWS_H

#include "core/base/declarations.h"
#include "core/kernels/sequences.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y; `last`: each is the sequence's last row. `rows` (M) ascend and count as the sequences' offsets do, which,
 * as rows, stand for all sequences. Both must outlive the tape. Sticky error: sequences that are not the rows of x, a
 * row outside them or below the one before, no rows. */
hl_tensor *hl_mean_rows(hl_tape *tape, hl_tensor *x, hl_sequences sequences, const int32_t *rows, int64_t n_rows,
                        bool last);

HL_END_DECLS

#endif
