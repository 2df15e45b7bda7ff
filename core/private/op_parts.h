/* What an op with large parameters tells the way back of several tapes (tape_leaves.h), and what it keeps for them. */
#ifndef HL_CORE_PRIVATE_OP_PARTS_H
#define HL_CORE_PRIVATE_OP_PARTS_H

#include "core/op.h"

/* The gradient of a large parameter is summed over leaves a part after the other. */
struct hl_op_parts {
    /* Into how many parts, at most `most`, the rows of din[input] may be cut at multiples of *step, so that no bit
     * changes. */
    int (*cut)(const hl_node *node, int input, int most, int64_t *step);

    /* The rows from `begin` to `end` - 1 of din[input], for which backward was given no memory, to `to`, which is not
     * initialised. Backward's scratch memory, node->scratch, is as it left it. */
    void (*compute)(const hl_tape *tape, const hl_node *node, int input, int64_t begin, int64_t end, hl_real *to);
};

/* Memory for numbers that forward makes of parameters alone, in hl_tape_options.kept; called from infer. NULL where
 * there is none: they go to scratch memory. And whether an earlier pass made them. */
hl_real *hl_tape_keep(hl_tape *tape, int64_t count);
bool hl_tape_has_kept(const hl_tape *tape);

#endif
