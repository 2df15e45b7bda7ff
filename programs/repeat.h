/* Measures how long something takes by repeating it. HL_BENCH_LEAST_REPEATS is enough for quartiles. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

enum { HL_BENCH_LEAST_REPEATS = 5, HL_BENCH_MOST_REPEATS = 1 << 20 };

typedef struct hl_bench_times {
    int64_t n;                                    /* how often it was done */
    double median, quarter, three_quarters, mean; /* seconds */
} hl_bench_times;

/* Calls once(context) until `seconds` are over and it was called `least` times, or HL_BENCH_MOST_REPEATS times. What
 * several processes do together each does as often: with 0 seconds that is `least` times. The first failure of `once`
 * ends it and is returned; HL_NO_MEMORY. Allocates only before the first call and after the last. */
hl_status hl_bench_repeat(int64_t least, double seconds, hl_status (*once)(void *context), void *context,
                          hl_bench_times *times);
