/* y = x * m, where m is 0 with probability p and 1 / (1 - p) otherwise; dx = dy * m. Inverted dropout, Srivastava et
 * al. 2014. The draw of m for row r and column d depends on (the tape's seed, stream, the tape's step, k, d), where k
 * is the number of row r in the tape's `places`. See tape.h and random.h. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y for x (..., D), or x itself if p is 0 or the tape does not train. Sticky error: p outside [0, 1), or a
 * number of rows other than the tape's n_places. */
hl_tensor *hl_dropout(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream);

/* The same for gathered rows: row m of x (M, D) is drawn with the number of row rows[m] - base in the tape's `places`.
 * `rows` (M) is not copied and must outlive the tape; NULL: hl_dropout. Sticky error also for a row outside the tape's
 * `places`. */
hl_tensor *hl_dropout_rows(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream, const int32_t *rows, int32_t base);

HL_END_DECLS
