/* All metrics of a head by name, each with a baseline, the value of a head without any skill: the rows of heads.csv. */
#ifndef HL_HEADS_CATALOGUE_H
#define HL_HEADS_CATALOGUE_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/pattern.h"
#include "heads/shares.h"
#include "heads/validation_sums.h"

HL_BEGIN_DECLS

/* Baselines are of attention spread evenly, where nothing else is said. */
/* clang-format off */
#define HL_METRIC_SHARE_CONSTANT(constant, name, measure, meaning) constant,
typedef enum hl_metric {
    HL_METRIC_OFFSET,             /* offset(-1): parameter is k */
    HL_METRIC_BEST,               /* best: offset(k) of the best k */
    HL_METRIC_BEST_OFFSET,        /* best.offset: that k; no baseline */
    HL_METRIC_ALIGNMENT,          /* alignment; the baseline is the larger of an even spread and a fixed offset */
    HL_METRIC_ALIGNMENT_HIT_RATE, /* alignment.hit_rate; the same baseline */
    HL_METRIC_ENTROPY,            /* entropy, nats */
    HL_METRIC_ENTROPY_NORMALISED, /* entropy.normalised; the baseline is 1 */
    HL_METRIC_CONFIDENCE,         /* confidence */
    HL_METRIC_DISTANCE,           /* distance, tokens */
    HL_METRIC_DISTANCE_SIGNED,    /* distance.signed, below 0 where it looks back */
    HL_METRIC_SHARES(HL_METRIC_SHARE_CONSTANT)
    HL_METRIC_RELATION,           /* relation(det_noun): parameter is r; the baseline is as alignment's */
    HL_METRIC_ALL_OFFSET,  /* all.offset(-1): the metric without `all.`, over the whole validation set; so the next */
    HL_METRIC_ALL_ENTROPY, /* all.entropy */
    HL_METRIC_ALL_ENTROPY_NORMALISED, /* all.entropy.normalised */
    HL_METRIC_ALL_CONFIDENCE,         /* all.confidence */
    HL_METRIC_ALL_DISTANCE,           /* all.distance */
    HL_METRIC_ALL_DISTANCE_SIGNED,    /* all.distance.signed */
    HL_METRIC_IMPORTANCE,             /* importance: by the gradient (effect.h); no baseline, as the next */
    HL_METRIC_IMPORTANCE_NORMALISED,  /* importance.normalised: scaled so that the squares of a layer sum to 1 */
    HL_METRIC_LOSS_WITHOUT, /* loss_without: what zeroing the head adds to the loss; baseline: its standard error */
    HL_METRIC_JS,           /* js(L1H0): the other head; the baseline is the same two in the untrained network */
} hl_metric;
/* clang-format on */

typedef struct hl_reading {
    hl_metric metric;
    int layer;         /* of the other head of JS, else 0 */
    int64_t parameter; /* k of OFFSET, r of RELATION, the other head of JS, else 0 */
    double value;
    double baseline; /* NaN where there is none */
} hl_reading;

/* Called with each reading; `context` is the caller's own. */
typedef void hl_reading_visit(void *context, const hl_reading *reading);

/* Measures one head on all examples of a snapshot (first and gap 0, at least one example). The even-numbered examples
 * choose; every number is measured on the odd-numbered ones. Calls `visit` in the order above, once for each k of
 * `offsets` (n of them) and once for each gold relation, but not for metrics without a query to measure (such as
 * alignment, where the task states no source). Leaves out HL_METRIC_JS, which compares heads (heads/divergence.h), and
 * importance and loss_without, which need the model (heads/effect.h). */
void hl_catalogue_measure(const hl_patterns *all, const int64_t *offsets, int64_t n, hl_reading_visit *visit,
                          void *context);

/* The same for one head's HL_METRIC_ALL_..., in their order: means over all examples, as nothing is chosen on them. */
void hl_catalogue_measure_sums(const hl_validation_sums *sums, int layer, int64_t head, const int64_t *offsets,
                               int64_t n, hl_reading_visit *visit, void *context);

/* Adds the metric's name as above to the text. `relations`: the names of the gold relations; where NULL, numbers stand
 * for them. HL_NO_MEMORY, and HL_INVALID for an unknown metric, are left on the text. */
void hl_metric_print(hl_text *text, const hl_reading *reading, const char *const *relations);

HL_END_DECLS

#endif
