/* A clock that never goes back, for rates and durations. */
#ifndef HL_CORE_BASE_CLOCK_H
#define HL_CORE_BASE_CLOCK_H

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* Seconds since some fixed moment. Setting the system clock back does not affect it. Cannot fail. */
double hl_clock_seconds(void);

HL_END_DECLS

#endif
