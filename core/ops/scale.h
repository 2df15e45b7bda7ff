/* y = factor * x, for a constant factor. dx = factor * dy. */
#ifndef HL_CORE_OPS_SCALE_H
#define HL_CORE_OPS_SCALE_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_scale(hl_tape *tape, hl_tensor *x, hl_real factor);

HL_END_DECLS

#endif
