/* Which heads of two models do the same: for each head of one, the head of the other whose attention differs least. */
#ifndef HL_HEADS_MATCH_H
#define HL_HEADS_MATCH_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/pattern.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_head_match {
    int64_t head; /* of the other model: its number among all of that, by layer and head */
    double js;    /* the Jensen-Shannon divergence of the two (heads/divergence.h), 0 .. ln 2 */
} hl_head_match;

/* A model's heads on some examples: layers[l] is head 0 of layer l and stands for all n_heads of it. */
typedef struct hl_model_heads {
    const hl_patterns *layers;
    int n_layers;
} hl_model_heads;

/* How many heads there are. */
int64_t hl_model_heads_count(hl_model_heads heads);

/* Head `place` of them, by layer and head. */
hl_patterns hl_model_heads_at(hl_model_heads heads, int64_t place);

/* Finds the closest head of b for each of a, and of a for each of b; the first of equals. Several heads may have the
 * same one. Both are of the same examples, as many and as long, of which those that score count (hl_patterns_scoring).
 * of_a: as many as a has heads; of_b: likewise. HL_NO_MEMORY. */
hl_status hl_heads_match(hl_model_heads a, hl_model_heads b, hl_head_match *of_a, hl_head_match *of_b);

HL_END_DECLS

#endif
