#include "heads/cadence.h"

/* Whether step > 0 is 1, 2 or 5 times a power of ten. */
static bool in_series(int64_t step)
{
    while (step % 10 == 0) {
        step /= 10;
    }
    return step == 1 || step == 2 || step == 5;
}

/* How many members of the series are at most `last`. */
static int64_t count_series(int64_t last)
{
    static const int64_t leading[3] = { 1, 2, 5 };
    int64_t count = 0;
    for (int64_t rest = last; rest > 0; rest /= 10) { /* leading * 10^d <= last where leading <= last / 10^d */
        for (int i = 0; i < 3; i++) {
            count += leading[i] <= rest;
        }
    }
    return count;
}

static bool between(hl_cadence cadence, int64_t step)
{
    return cadence.every == HL_CADENCE_LOG ? in_series(step) : step % cadence.every == 0;
}

bool hl_cadence_records(hl_cadence cadence, int64_t step, int64_t last)
{
    return step == 0 || step == last || between(cadence, step);
}

int64_t hl_cadence_count(hl_cadence cadence, int64_t last)
{
    int64_t after_0 = cadence.every == HL_CADENCE_LOG ? count_series(last) : last / cadence.every;
    bool last_is_extra = last > 0 && !between(cadence, last);
    return 1 + after_0 + last_is_extra;
}
