/* y[m] = the mean over all rows of the sequence that contains row rows[m], or the last row of that sequence. x (N, D),
 * y (M, D). Backward, for means of n rows: each row gets dy[m] / n for every m whose row lies in its sequence; all
 * others get 0. */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/sequences.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y. `last`: each row of y is the sequence's last row. `rows` (M) is ascending, and rows[m] - offsets[0] is a
 * row of x, where `offsets` belongs to `sequences`. The offsets themselves may serve as `rows`: one for each sequence.
 * `rows` and `sequences` must outlive the tape. Sticky error: sequences that do not cover the rows of x, a row outside
 * them or below the previous one, no rows. */
hl_tensor *hl_mean_rows(hl_tape *tape, hl_tensor *x, hl_sequences sequences, const int32_t *rows, int64_t n_rows,
                        bool last);

HL_END_DECLS
