#include "programs/timing.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/kernels/matmul.h"
#include "heads/estimate.h"

/* ---- anything ---- */

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

/* ---- matrix products ---- */

typedef struct product {
    int threads;
    int64_t M, N, K;
    hl_real *A, *B, *C;
} product;

static hl_status multiply(void *context)
{
    const product *p = context;
    hl_matmul_into(p->threads, p->M, p->N, p->K, (hl_matrix){ p->A, p->K, false }, (hl_matrix){ p->B, p->N, false }, 0,
                   p->C, p->N);
    return hl_ok();
}

/* Numbers of usual sizes: zeros and denormal ones may be faster or slower. */
static hl_real *make_numbers(int64_t count)
{
    hl_real *numbers = hl_malloc((size_t)count * sizeof *numbers);
    for (int64_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = (hl_real)(i % 17 - 8) / 8;
    }
    return numbers;
}

static hl_status measure(product *p, double seconds, hl_bench_times *times)
{
    p->A = make_numbers(p->M * p->K);
    p->B = make_numbers(p->K * p->N);
    p->C = make_numbers(p->M * p->N);
    hl_status status = p->A != NULL && p->B != NULL && p->C != NULL
                           ? hl_bench_repeat(HL_BENCH_LEAST_REPEATS, seconds, multiply, p, times)
                           : hl_error_memory("the factors of a matrix product");
    hl_free(p->A);
    hl_free(p->B);
    hl_free(p->C);
    return status;
}

static double gflops_of(const product *p, double seconds)
{
    return 2e-9 * (double)p->M * (double)p->N * (double)p->K / seconds;
}

hl_status hl_bench_sgemm(int threads, double seconds, double *gflops)
{
    static const int64_t shapes[][3] = { { 1024, 1024, 1024 }, { 1024, 2048, 512 }, { 2048, 512, 512 } };
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    *gflops = 0;
    for (int i = 0; i < N_SHAPES; i++) {
        product p = { .threads = threads, .M = shapes[i][0], .N = shapes[i][1], .K = shapes[i][2] };
        hl_bench_times times;
        HL_TRY(measure(&p, seconds / N_SHAPES, &times));
        double rate = gflops_of(&p, times.median);
        *gflops = rate > *gflops ? rate : *gflops;
    }
    return hl_ok();
}

hl_status hl_bench_sgemm_glance(int threads, double *gflops)
{
    product p = { .threads = threads, .M = 512, .N = 512, .K = 512 };
    hl_bench_times times;
    HL_TRY(measure(&p, 0.02, &times));
    *gflops = gflops_of(&p, times.quarter);
    return hl_ok();
}
