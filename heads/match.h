/* Which heads of two models do the same: for each head of one model, the head of the other whose attention differs
 * least. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/pattern.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_head_match {
    int64_t head; /* the head's number among all heads of the other model, by layer and head */
    double js;    /* the Jensen-Shannon divergence of the two (heads/divergence.h), 0 .. ln 2 */
} hl_head_match;

/* A model's heads on some examples. layers[l] is head 0 of layer l; it stands for all n_heads of the layer. */
typedef struct hl_model_heads {
    const hl_patterns *layers;
    int n_layers;
} hl_model_heads;

/* The number of heads. */
int64_t hl_model_heads_count(hl_model_heads heads);

/* Head `place`, counted by layer and head. */
hl_patterns hl_model_heads_at(hl_model_heads heads, int64_t place);

/* Finds the closest head of b for each head of a, and of a for each head of b; the first among equals. Several heads
 * may have the same closest head. Both models must be given on the same examples, with the same number and lengths.
 * Only the scoring examples count (hl_patterns_scoring). of_a has room for as many entries as a has heads; of_b
 * likewise for b. HL_NO_MEMORY. */
hl_status hl_heads_match(hl_model_heads a, hl_model_heads b, hl_head_match *of_a, hl_head_match *of_b);

HL_END_DECLS
