/* A metric's value beside what no skill at all would reach. */
#ifndef HL_HEADS_SCORE_H
#define HL_HEADS_SCORE_H

#include "core/declarations.h"

#include <math.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_score {
    double value;    /* the mean over the queries that the metric is about; 0 where there are none */
    double baseline; /* the same mean for attention without skill; 0 where there are none */
    int64_t n;       /* how many queries that were */
} hl_score;

/* The means of sums over n queries. */
static inline hl_score hl_score_mean(hl_score sum)
{
    double n = sum.n > 0 ? (double)sum.n : 1;
    hl_score mean = { sum.value / n, sum.baseline / n, sum.n };
    return mean;
}

/* A lift below this is no habit worth a name. */
#define HL_SCORE_CLEAR_LIFT 0.5

/* How far the value is on its way from the baseline to perfect, for metrics whose perfect value is 1:
 * (value - baseline) / (1 - baseline). NaN where there are no queries or the baseline is perfect itself. */
static inline double hl_score_lift(hl_score score)
{
    if (score.n == 0 || score.baseline >= 1) {
        return NAN;
    }
    return (score.value - score.baseline) / (1 - score.baseline);
}

HL_END_DECLS

#endif
