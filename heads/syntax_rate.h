/* How often a head, or a rule, finds a relation, and how sure this is. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Hits out of cases; the interval below shows how sure their share is. */
typedef struct hl_syntax_rate {
    int64_t hits, cases;
} hl_syntax_rate;
double hl_syntax_share(hl_syntax_rate rate); /* hits / cases; NAN if there are no cases */

/* The 95% Wilson score interval of the share (Wilson 1927); [0, 1] if there are no cases. */
typedef struct hl_syntax_interval {
    double low, high;
} hl_syntax_interval;
hl_syntax_interval hl_syntax_interval_of(hl_syntax_rate rate);

HL_END_DECLS
