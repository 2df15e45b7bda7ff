/* y = factor * x, for a constant factor. dx = factor * dy. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_scale(hl_tape *tape, hl_tensor *x, hl_real factor);

HL_END_DECLS
