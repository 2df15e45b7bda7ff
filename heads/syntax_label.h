/* The relation of a treebank by which a head is named: its second label, beside that of heads/label.h. */
#ifndef HL_HEADS_SYNTAX_LABEL_H
#define HL_HEADS_SYNTAX_LABEL_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/effect.h"
#include "heads/syntax.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_LEAST_CASES = 100 }; /* of a relation by which heads are named, in all sentences */

/* Writes the relations that have `least_cases` at least to `rows`, which has room for all of them: the most cases
 * first, of equals the first in the treebank; punct and root only where they are asked for. Returns how many there
 * are. */
int64_t hl_syntax_rows(const hl_syntax *counts, const hl_treebank *treebank, int64_t least_cases, bool punct_and_root,
                       int64_t *rows);

typedef struct hl_syntax_label {
    int64_t relation;          /* -1: the head earns none */
    const char *name;          /* of the relation; the treebank's */
    hl_syntax_choice held_out; /* what the head finds of it */

    /* What the model loses without the head, and with the label's ideal pattern in its place; and the same of all heads
     * of its layer with this relation and direction, where there are several. NULL: not measured. Not owned. */
    const hl_head_effect *effect, *group;
} hl_syntax_label;

/* Makes the label of every head in new memory (hl_free): of the n relations in `rows`, the most cases first, that it
 * earns (hl_syntax_earned) the first whose best head it is, as sentences 0, 2, 4 ... choose it; where it is the best of
 * none, the one with the largest lift held out, the first of equals. `treebank`: that of the counts; NULL: without
 * names. HL_NO_MEMORY. */
hl_status hl_syntax_labels_make(const hl_syntax *counts, const hl_treebank *treebank, const int64_t *rows, int64_t n,
                                hl_syntax_label **labels);

HL_END_DECLS

#endif
