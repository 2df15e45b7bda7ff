/* A metric's value beside what no skill at all would reach. */
#ifndef HL_HEADS_SCORE_H
#define HL_HEADS_SCORE_H

#include <math.h>
#include <stdint.h>

typedef struct hl_score {
    double value;    /* the mean over the queries that the metric is about; 0 where there are none */
    double baseline; /* the same mean for attention without skill; 0 where there are none */
    int64_t n;       /* how many queries that were */
} hl_score;

/* How far the value is on its way from the baseline to perfect, for metrics whose perfect value is 1:
 * (value - baseline) / (1 - baseline). NaN where there are no queries or the baseline is perfect itself. */
static inline double hl_score_lift(hl_score score)
{
    if (score.n == 0 || score.baseline >= 1) {
        return NAN;
    }
    return (score.value - score.baseline) / (1 - score.baseline);
}

#endif
