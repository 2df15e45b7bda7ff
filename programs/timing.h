/* How long something takes, by repeating it; and so the rate of the machine's matrix products, the limit that training
 * steps are compared with. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

/* The first is enough for quartiles. */
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

/* The 10^9 floating-point operations a second of the fastest of a few large products on that many threads (each
 * timed for a share of `seconds`, its median counts), into *gflops. HL_NO_MEMORY. */
hl_status hl_bench_sgemm(int threads, double seconds, double *gflops);

/* The same at a glance, in some hundredths of a second: of a smaller product, and the better ones of its times count,
 * since others may want the cores, too. HL_NO_MEMORY. */
hl_status hl_bench_sgemm_glance(int threads, double *gflops);
