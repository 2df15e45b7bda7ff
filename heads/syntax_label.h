/* The treebank relation that names a head: its second label, in addition to that of heads/label.h. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/effect.h"
#include "heads/syntax.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_LEAST_CASES = 100 }; /* the fewest cases, in all sentences, of a relation that may name heads */

/* Writes the relations that have at least `least_cases` cases to `rows`, which must have room for all relations. The
 * relation with the most cases comes first; among equals, the first in the treebank. punct and root are included only
 * if `punct_and_root` is true. Returns how many there are. */
int64_t hl_syntax_rows(const hl_syntax *counts, const hl_treebank *treebank, int64_t least_cases, bool punct_and_root,
                       int64_t *rows);

typedef struct hl_syntax_label {
    int64_t relation;          /* -1: the head earns no relation */
    const char *name;          /* the relation's name; owned by the treebank */
    hl_syntax_choice held_out; /* what the head finds of the relation */

    /* What the model loses without the head, and with the label's ideal pattern instead. `group`: the same for all
     * heads of its layer with this relation and direction, if there are several. NULL: not measured. Not owned. */
    const hl_head_effect *effect, *group;
} hl_syntax_label;

/* Makes the label of every head in new memory (hl_free). `rows` holds n relations, the most cases first. Only relations
 * that the head earns count (hl_syntax_earned). The label is the first of these for which it is the best head, as
 * chosen on sentences 0, 2, 4 ... If it is the best head for none, the label is the one with the largest held-out lift,
 * the first among equals. `treebank`: the one that was counted; NULL: labels have no names. HL_NO_MEMORY. */
hl_status hl_syntax_labels_make(const hl_syntax *counts, const hl_treebank *treebank, const int64_t *rows, int64_t n,
                                hl_syntax_label **labels);

HL_END_DECLS
