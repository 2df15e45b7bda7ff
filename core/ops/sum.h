/* y = the sum of all numbers in x, a scalar, added in double. dx = dy everywhere. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, a scalar, for x of any shape. */
hl_tensor *hl_sum(hl_tape *tape, hl_tensor *x);

/* The mean: the sum divided by how many numbers x has. */
hl_tensor *hl_mean(hl_tape *tape, hl_tensor *x);

HL_END_DECLS
