/* y[b] = the mean of the rows of sequence b: x (N, D), y (B, D). dx[r] = dy[b] / length(b) for the rows r of b. */
#ifndef HL_CORE_OP_MEAN_ROWS_H
#define HL_CORE_OP_MEAN_ROWS_H

#include "core/declarations.h"
#include "core/sequences.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y. The sequences' offsets must outlive the tape. Sticky error: sequences that are not the rows of x. */
hl_tensor *hl_mean_rows(hl_tape *tape, hl_tensor *x, hl_sequences sequences);

HL_END_DECLS

#endif
