/* How much a head attends to a(i), the position that the task gives as the source of query i's answer. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

typedef struct hl_alignment {
    hl_score weight; /* the mean of A[i][a(i)] over the queries with a source; baseline: the same mean for attention
                        spread evenly, 1 / n_i */
    double hit_rate; /* the fraction of these queries whose largest weight, the first among equals, is on a(i) */
} hl_alignment;

/* The alignment of a head; all zero if no query has a source. A source that its query may not attend to counts as 0. */
hl_alignment hl_alignment_of(const hl_patterns *patterns);

/* The hit rate of a head that always attends to offset k: the fraction of the queries with a source for which a(i) = i
 * + k. It depends only on the task. It is 0 if no query has a source. */
double hl_alignment_fixed_rate(const hl_patterns *patterns, int64_t k);

/* The k with the largest fixed rate; the lowest k if several are equal; 0 if no offset ever hits. */
int64_t hl_alignment_fixed_best(const hl_patterns *patterns);

HL_END_DECLS
