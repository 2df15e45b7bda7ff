/* A metric's value with its baseline, which is the value of attention without any skill. */
#pragma once

#include "core/base/declarations.h"

#include <math.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_score {
    double value;    /* the mean over the queries that the metric covers; 0 if there are none */
    double baseline; /* the same mean for attention without skill; 0 if there are none */
    int64_t n;       /* the number of these queries */
} hl_score;

/* The means of sums over n queries. */
static inline hl_score hl_score_mean(hl_score sum)
{
    double n = sum.n > 0 ? (double)sum.n : 1;
    hl_score mean = { sum.value / n, sum.baseline / n, sum.n };
    return mean;
}

/* A lift below this earns no label. */
#define HL_SCORE_CLEAR_LIFT 0.5

/* (value - baseline) / (1 - baseline), for metrics whose perfect value is 1: 0 at the baseline, 1 for a perfect head.
 * NaN if there are no queries or the baseline is 1. */
static inline double hl_score_lift(hl_score score)
{
    if (score.n == 0 || score.baseline >= 1) {
        return NAN;
    }
    return (score.value - score.baseline) / (1 - score.baseline);
}

HL_END_DECLS
