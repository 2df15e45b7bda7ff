/* Finds the first op of a pass whose output is not finite. */
#ifndef HL_CORE_FINITE_WATCH_H
#define HL_CORE_FINITE_WATCH_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Writes the first op, in order of execution, whose output is not finite, "softmax in encoder.layers.0.self_attn", into
 * `text` (at most `size` bytes). False where every output is finite, or the tape is dry. Reads every number. Call it
 * when a loss is not finite, before backward, which may reuse the outputs' memory. */
bool hl_tape_find_not_finite(const hl_tape *tape, char *text, size_t size);

/* HL_NOT_FINITE "<what> is <value>; the first tensor that is not finite is the output of <op>", the last part where
 * there is such an op. */
hl_status hl_tape_not_finite(const hl_tape *tape, const char *what, double value);

/* With a plan (tape_memory.h), later outputs may have overwritten the one that hl_tape_find_not_finite looks for. Then
 * run the pass again with this observer, which looks at each output when it is computed. Begins zeroed. */
typedef struct hl_finite_watch {
    char op[128]; /* "softmax in encoder.layers.0.self_attn"; empty where every output was finite */
} hl_finite_watch;

/* An observer for the tape of the pass; the watch must outlive it. */
hl_tape_observer hl_finite_watch_observer(hl_finite_watch *watch);

/* HL_NOT_FINITE as hl_tape_not_finite. */
hl_status hl_finite_watch_status(const hl_finite_watch *watch, const char *what, double value);

HL_END_DECLS

#endif
