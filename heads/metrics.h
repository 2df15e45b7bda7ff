/* What a head does, in the numbers of the table of heads. */
#pragma once

#include "core/base/declarations.h"
#include "heads/entropy.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

typedef struct hl_head_metrics {
    int layer;
    int64_t head;
    int64_t best_offset; /* chosen on the choosing half */
    hl_score offset;     /* for best_offset; n is 0 if no query of the scoring half has that key */
    hl_entropy entropy;
    hl_score confidence;
    hl_score alignment; /* n is 0 if the task gives no source; the baseline is the larger of attention spread evenly and
                           fixed_rate */
    double hit_rate;    /* of alignment */
    int64_t fixed_offset; /* the offset that is most often the source in the choosing half */
    double fixed_rate;    /* the fraction of sources that it hits, in the scoring half */
} hl_head_metrics;

/* Measures one head of layer `layer` on all examples of a snapshot (first and gap 0, at least one example). Choices are
 * made on the even-numbered examples; every number is measured on the odd-numbered ones (hl_patterns_scoring). */
hl_head_metrics hl_head_measure(int layer, const hl_patterns *all);

HL_END_DECLS
