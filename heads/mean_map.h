/* The map that shows a head at a glance: the mean of several examples' weights, or one example's. */
#ifndef HL_HEADS_MEAN_MAP_H
#define HL_HEADS_MEAN_MAP_H

#include "core/base/declarations.h"
#include "heads/pattern.h"

HL_BEGIN_DECLS

/* The examples to take the mean of: those that score (hl_patterns_scoring) where all of them have one length, else the
 * longest of `all` alone, the first of equals. */
hl_patterns hl_patterns_shown(const hl_patterns *all);

/* Writes the mean of A over the examples, at least one and all of one length n, to (n, n) numbers. */
void hl_patterns_mean(const hl_patterns *patterns, hl_real *mean);

HL_END_DECLS

#endif
