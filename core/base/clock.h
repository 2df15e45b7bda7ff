/* Time that only runs forward: for rates and durations. */
#ifndef HL_CORE_BASE_CLOCK_H
#define HL_CORE_BASE_CLOCK_H

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* Seconds since some fixed moment; a clock set back does not disturb it. Cannot fail. */
double hl_clock_seconds(void);

HL_END_DECLS

#endif
