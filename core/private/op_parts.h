/* For ops with large parameters: how gradients are computed in parts when backward runs on several tapes at once
 * (tape_leaves.h), and how forward keeps what it computes from parameters for later passes (hl_tape_kept). */
#pragma once

#include "core/op.h"

/* The gradient of a large parameter is summed over the leaves, one part after the other. */
struct hl_op_parts {
    /* The number of parts, at most `most`, into which the rows of a gradient may be cut at multiples of *step without
     * changing a bit. NULL: any number of parts, cut between any rows. */
    int (*cut)(const hl_node *node, int most, int64_t *step);

    /* Writes the rows from `begin` to `end` - 1 of din[input] to `to`, which is not initialised. Called after a
     * backward that was given no memory for this gradient; node->scratch still holds what that backward left there. */
    void (*compute)(const hl_tape *tape, const hl_node *node, int input, int64_t begin, int64_t end, hl_real *to);
};

/* Memory in hl_tape_memory.kept for numbers that forward computes from parameters alone. Call it from infer. NULL if
 * the tape has no `kept`: forward then uses scratch memory. */
hl_real *hl_tape_keep(hl_tape *tape, int64_t count);

/* Whether an earlier pass has computed these numbers. */
bool hl_tape_has_kept(const hl_tape *tape);
