#include "heads/cadence.h"

#include <math.h>

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

/* Whether step > 0 is a multiple of `every`, or 1, 2 or 5 times a power of ten. */
static bool is_regular(hl_cadence cadence, int64_t step)
{
    if (cadence.every != HL_CADENCE_LOG) {
        return step % cadence.every == 0;
    }
    while (step % 10 == 0) {
        step /= 10;
    }
    return step == 1 || step == 2 || step == 5;
}

void hl_cadence_update(hl_cadence_state *state, double loss)
{
    static const double newest = 0.125; /* its weight in the smoothed loss */
    if (state->first <= 0) {
        *state = (hl_cadence_state){ .first = loss, .smoothed = loss, .lowest = loss, .before = loss };
    }
    state->smoothed += newest * (loss - state->smoothed);
    state->before = state->lowest;
    state->lowest = fmin(state->lowest, state->smoothed);
}

/* How many of `extra` equal parts of the first loss lie above `loss`, 0 .. extra. */
static double parts_above(const hl_cadence_state *state, int64_t extra, double loss)
{
    return state->first > 0 ? floor((state->first - loss) / state->first * (double)extra) : 0;
}

bool hl_cadence_records(hl_cadence cadence, const hl_cadence_state *state, int64_t step, int64_t last)
{
    return step == 0 || step == last || is_regular(cadence, step) ||
           parts_above(state, cadence.extra, state->lowest) > parts_above(state, cadence.extra, state->before);
}

int64_t hl_cadence_most(hl_cadence cadence, int64_t last)
{
    int64_t after_0 = cadence.every == HL_CADENCE_LOG ? count_series(last) : last / cadence.every;
    bool last_is_another = last > 0 && !is_regular(cadence, last);
    int64_t others = last - after_0 - last_is_another; /* steps that can only be extra */
    return 1 + after_0 + last_is_another + (cadence.extra < others ? cadence.extra : others);
}
