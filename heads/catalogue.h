/* All metrics of a head by name, each with a baseline: the value of a head without any skill. They are the rows of
 * heads.csv. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/pattern.h"
#include "heads/shares.h"
#include "heads/validation_sums.h"

HL_BEGIN_DECLS

/* Unless stated otherwise, the baseline is the value for attention spread evenly. */
/* clang-format off */
#define HL_METRIC_SHARE_CONSTANT(constant, name, measure, meaning) constant,
typedef enum hl_metric {
    HL_METRIC_OFFSET,             /* offset(-1): the parameter is k */
    HL_METRIC_BEST,               /* best: offset(k) for the best k */
    HL_METRIC_BEST_OFFSET,        /* best.offset: that k; no baseline */
    HL_METRIC_ALIGNMENT,          /* alignment; the baseline is the larger of an even spread and a fixed offset */
    HL_METRIC_ALIGNMENT_HIT_RATE, /* alignment.hit_rate; the same baseline */
    HL_METRIC_ENTROPY,            /* entropy, nats */
    HL_METRIC_ENTROPY_NORMALISED, /* entropy.normalised; the baseline is 1 */
    HL_METRIC_CONFIDENCE,         /* confidence */
    HL_METRIC_DISTANCE,           /* distance, tokens */
    HL_METRIC_DISTANCE_SIGNED,    /* distance.signed, below 0 if the head looks back */
    HL_METRIC_SHARES(HL_METRIC_SHARE_CONSTANT)
    HL_METRIC_RELATION,           /* relation(det_noun): the parameter is r; the baseline is computed as for
                                     alignment */
    HL_METRIC_ALL_OFFSET,  /* all.offset(-1): the metric without `all.`, over the whole validation set; also the next
                              five */
    HL_METRIC_ALL_ENTROPY, /* all.entropy */
    HL_METRIC_ALL_ENTROPY_NORMALISED, /* all.entropy.normalised */
    HL_METRIC_ALL_CONFIDENCE,         /* all.confidence */
    HL_METRIC_ALL_DISTANCE,           /* all.distance */
    HL_METRIC_ALL_DISTANCE_SIGNED,    /* all.distance.signed */
    HL_METRIC_IMPORTANCE,             /* importance: by the gradient (effect.h); it and the next metric have no
                                         baseline */
    HL_METRIC_IMPORTANCE_NORMALISED,  /* importance.normalised: scaled so that the squares of a layer sum to 1 */
    HL_METRIC_LOSS_WITHOUT, /* loss_without: what zeroing the head adds to the loss; the baseline is its standard
                               error */
    HL_METRIC_JS,           /* js(L1H0): the parameter is the other head; the baseline is js of the same two heads in
                               the untrained network */
} hl_metric;
/* clang-format on */

typedef struct hl_reading {
    hl_metric metric;
    int layer;         /* the other head's layer for JS, else 0 */
    int64_t parameter; /* k for OFFSET, r for RELATION, the other head for JS, else 0 */
    double value;
    double baseline; /* NaN if the metric has none */
} hl_reading;

/* Called with each reading; `context` is the caller's own. */
typedef void hl_reading_visit(void *context, const hl_reading *reading);

/* Measures one head on all examples of a snapshot (first and gap 0, at least one example). Choices, such as the best
 * offset, are made on the even-numbered examples; every number is measured on the odd-numbered ones. Calls `visit` in
 * the order above: once for each of the n offsets k in `offsets`, and once for each gold relation. Metrics that have no
 * query to measure are not visited, such as alignment if the task gives no source. HL_METRIC_JS is left out, because it
 * compares heads (heads/divergence.h). So are importance and loss_without, which need the model (heads/effect.h). */
void hl_catalogue_measure(const hl_patterns *all, const int64_t *offsets, int64_t n, hl_reading_visit *visit,
                          void *context);

/* The same for one head's HL_METRIC_ALL_... metrics, in their order. They are means over all examples, because nothing
 * is chosen on these. */
void hl_catalogue_measure_sums(const hl_validation_sums *sums, int layer, int64_t head, const int64_t *offsets,
                               int64_t n, hl_reading_visit *visit, void *context);

/* Adds the metric's name, as listed above, to the text. `relations`: the names of the gold relations; if NULL, they are
 * printed as numbers. HL_NO_MEMORY, and HL_INVALID for an unknown metric, are stored in the text. */
void hl_metric_print(hl_text *text, const hl_reading *reading, const char *const *relations);

HL_END_DECLS
