/* Measures how long something takes by repeating it. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

enum { HL_BENCH_LEAST_REPEATS = 5, HL_BENCH_MOST_REPEATS = 1 << 20 };

typedef struct hl_bench_times {
    int64_t n;                                    /* how often it was done */
    double median, quarter, three_quarters, mean; /* seconds */
} hl_bench_times;

/* Calls once(context) until `seconds` are over and it was called HL_BENCH_LEAST_REPEATS times, or
 * HL_BENCH_MOST_REPEATS times. The first failure of `once` ends it and is returned; HL_NO_MEMORY. Allocates only before
 * the first call and after the last. */
hl_status hl_bench_repeat(double seconds, hl_status (*once)(void *context), void *context, hl_bench_times *times);

/* The same n times, up to HL_BENCH_MOST_REPEATS: what several processes do together each does as often. */
hl_status hl_bench_repeat_so_often(int64_t n, hl_status (*once)(void *context), void *context, hl_bench_times *times);
