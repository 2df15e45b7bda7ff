/* y = a * b, number by number, where both have the same shape. da = dy * b, db = dy * a. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, of the same shape. Sticky error: the shapes differ. */
hl_tensor *hl_multiply(hl_tape *tape, hl_tensor *a, hl_tensor *b);

HL_END_DECLS
