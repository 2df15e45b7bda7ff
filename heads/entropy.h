/* How widely a head spreads its attention. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

typedef struct hl_entropy {
    double nats;          /* the mean over queries of -sum_j A[i][j] ln A[i][j], with 0 ln 0 = 0 */
    double uniform;       /* the mean over queries of ln n_i: the entropy of attention spread evenly */
    double normalised;    /* the mean of each query's nats / ln n_i over the queries with n_i > 1, from 0 (one key) to 1
                             (evenly over all keys); 0 if there are no such queries */
    int64_t n;            /* queries */
    int64_t n_normalised; /* queries with n_i > 1 */
} hl_entropy;

/* Requires at least one example. */
hl_entropy hl_entropy_of(const hl_patterns *patterns);

/* The mean over queries of max_j A[i][j]; the baseline is the mean of 1 / n_i. Requires at least one example. */
hl_score hl_confidence_of(const hl_patterns *patterns);

HL_END_DECLS
