/* A clock that never goes back, for rates and durations. */
#pragma once

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* Seconds since some fixed moment. Setting the system clock back does not affect it. Cannot fail. */
double hl_clock_seconds(void);

HL_END_DECLS
