/* Whether two orders agree. */
#ifndef HL_HEADS_PRIVATE_SPEARMAN_H
#define HL_HEADS_PRIVATE_SPEARMAN_H

#include "core/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Spearman's rank correlation of n pairs: Pearson's of the ranks, equal numbers sharing the mean of theirs. From -1
 * to 1; NaN where n < 2 or all numbers of one side are equal, or one is NaN. Takes n^2 steps. */
double hl_spearman(const double *a, const double *b, int64_t n);

HL_END_DECLS

#endif
