/* How far a head looks, in tokens. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

/* The baselines are the same means for attention spread evenly, A[i][j] = 1 / n_i. */
typedef struct hl_distance {
    hl_score absolute; /* the mean over queries of sum_j A[i][j] |j - i| */
    hl_score directed; /* the mean over queries of sum_j A[i][j] (j - i): below 0 if the head looks back, above 0 if it
                          looks ahead */
} hl_distance;

/* Requires at least one example. */
hl_distance hl_distance_of(const hl_patterns *patterns);

HL_END_DECLS
