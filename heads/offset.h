/* How much a head attends to one relative position: offset -1 is the previous token, 0 the token itself, 1 the next. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

/* offset(k) = the mean of A[i][i + k] over the queries for which i + k is a permitted key. This is the mean of a
 * diagonal, so a perfect head scores 1. The baseline is the mean of 1 / n_i over the same queries. */
hl_score hl_offset_score(const hl_patterns *patterns, int64_t k);

/* The same for k = first .. first + n - 1 in one pass over the weights; n is at most HL_OFFSETS_AT_ONCE. */
enum { HL_OFFSETS_AT_ONCE = 64 };
void hl_offset_scores(const hl_patterns *patterns, int64_t first, int64_t n, hl_score *scores);

/* The fraction of these queries whose largest weight, the first among equals, is on i + k; 0 if there are no such
 * queries. */
double hl_offset_hit_rate(const hl_patterns *patterns, int64_t k);

/* The k with the largest offset(k), the lowest among equals. Only offsets k count for which a quarter of the real
 * queries have a key i + k. */
int64_t hl_offset_best(const hl_patterns *patterns);

HL_END_DECLS
