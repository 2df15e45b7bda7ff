#include "programs/repeat.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "heads/estimate.h"

/* The p-quantile of sorted numbers, between neighbours by interpolation. */
static double quantile(const double *sorted, int64_t n, double p)
{
    double place = p * (double)(n - 1);
    int64_t below = (int64_t)place;
    int64_t above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

static hl_bench_times times_of(double *samples, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += samples[i];
    }
    hl_numbers_sort(samples, n);
    return (hl_bench_times){
        .n = n,
        .median = quantile(samples, n, 0.5),
        .quarter = quantile(samples, n, 0.25),
        .three_quarters = quantile(samples, n, 0.75),
        .mean = sum / (double)n,
    };
}

hl_status hl_bench_repeat(int64_t least, double seconds, hl_status (*once)(void *context), void *context,
                          hl_bench_times *times)
{
    /* Memory that is never written to costs nothing. */
    double *samples = hl_malloc(HL_BENCH_MOST_REPEATS * sizeof *samples);
    HL_NEED(samples != NULL, "the times measured");
    hl_status status = hl_ok();
    double begin = hl_clock_seconds(), now = begin;
    int64_t n = 0;
    while (n < least || (now - begin < seconds && n < HL_BENCH_MOST_REPEATS)) {
        double before = hl_clock_seconds();
        status = once(context);
        if (status.code != HL_OK) {
            break;
        }
        now = hl_clock_seconds();
        samples[n++] = now - before;
    }
    if (status.code == HL_OK) {
        *times = times_of(samples, n);
    }
    hl_free(samples);
    return status;
}
