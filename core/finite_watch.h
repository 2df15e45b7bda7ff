/* Finds the first op in a pass whose output is not finite (infinite or NaN). */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns HL_NOT_FINITE with the text "<what> is <value>; the first tensor that is not finite is the output of <op>",
 * where <op> is the first in order of execution, such as "softmax in encoder.layers.0.self_attn". The part after the
 * semicolon is missing if every output is finite or the tape is dry. Reads every number. Call it when a loss is not
 * finite, and before backward, which may reuse the outputs' memory. */
hl_status hl_tape_not_finite(const hl_tape *tape, const char *what, double value);

/* On a tape with a plan (tape_memory.h), later outputs may have overwritten the output that hl_tape_not_finite looks
 * for. In that case, run the pass again with this observer, which checks each output as soon as it is computed.
 * Start with a zeroed watch. */
typedef struct hl_finite_watch {
    char op[128]; /* such as "softmax in encoder.layers.0.self_attn"; empty if every output was finite */
} hl_finite_watch;

/* Returns an observer for the tape of the pass. The watch must outlive it. */
hl_tape_observer hl_finite_watch_observer(hl_finite_watch *watch);

/* HL_NOT_FINITE, with the text of hl_tape_not_finite. */
hl_status hl_finite_watch_status(const hl_finite_watch *watch, const char *what, double value);

HL_END_DECLS
