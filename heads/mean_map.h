/* The map that shows a head at a glance: the mean of several examples' weights, or one example's. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"

HL_BEGIN_DECLS

/* The examples to average: the scoring ones (hl_patterns_scoring) if all of them have one length. Otherwise only the
 * longest example of `all`, the first among equals. */
hl_patterns hl_patterns_shown(const hl_patterns *all);

/* Writes the mean of A over the examples to `mean` (n, n). There must be at least one example, and all must have length
 * n. */
void hl_patterns_mean(const hl_patterns *patterns, hl_real *mean);

HL_END_DECLS
