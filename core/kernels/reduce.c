#include "core/kernels/private/reduce.h"

#include "core/base/threads.h"

#include <string.h>

/* Enough blocks for any number of threads, and few enough that adding them costs nothing. */
enum { MAX_BLOCKS = 16, MIN_BLOCK_ROWS = 64, SQUARES_BLOCK = 4096, SQUARES_RANGES = 64 };

int hl_sum_blocks(int64_t N)
{
    int64_t blocks = N / MIN_BLOCK_ROWS;
    return blocks < 1 ? 1 : blocks > MAX_BLOCKS ? MAX_BLOCKS : (int)blocks;
}

int64_t hl_sum_rows_scratch(int64_t N, int64_t D)
{
    return hl_sum_blocks(N) * D;
}

typedef struct partials_work {
    int n;
    int64_t D;
    const hl_real *partials;
    bool add;
    hl_real *sum;
} partials_work;

/* Sixteen columns at once stay in registers. */
static void sum_partials(const void *context, hl_range columns)
{
    const partials_work *w = context;
    enum { WIDTH = 16 };
    const int n = w->n;
    const int64_t D = w->D;
    const bool add = w->add;
    const hl_real *partials = w->partials;
    hl_real *sum = w->sum;
    int64_t d = columns.begin;
    for (; d + WIDTH <= columns.end; d += WIDTH) {
        hl_real totals[WIDTH] = { 0 };
        for (int i = 0; i < n; i++) {
#pragma omp simd
            for (int l = 0; l < WIDTH; l++) {
                totals[l] += partials[i * D + d + l];
            }
        }
#pragma omp simd
        for (int l = 0; l < WIDTH; l++) {
            sum[d + l] = add ? sum[d + l] + totals[l] : totals[l];
        }
    }
    for (; d < columns.end; d++) {
        hl_real total = 0;
        for (int i = 0; i < n; i++) {
            total += partials[i * D + d];
        }
        sum[d] = add ? sum[d] + total : total;
    }
}

void hl_sum_partials(int threads, int n, int64_t D, const hl_real *partials, bool add, hl_real *sum)
{
    hl_threads_run(hl_threads_for(threads, n * D), D, HL_CACHE_LINE, sum_partials,
                   &(partials_work){ .n = n, .D = D, .partials = partials, .add = add, .sum = sum });
}

typedef struct rows_work {
    int64_t N, D;
    const hl_real *x;
    hl_real *partials; /* (blocks, D) */
} rows_work;

static void sum_blocks(const void *context, hl_range blocks)
{
    const rows_work *w = context;
    int64_t N = w->N, D = w->D;
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        int64_t begin, end;
        hl_threads_cut(N, 1, (int)block, hl_sum_blocks(N), &begin, &end);
        hl_real *partial = w->partials + block * D;
        memset(partial, 0, (size_t)D * sizeof *partial);
        for (int64_t n = begin; n < end; n++) {
            for (int64_t d = 0; d < D; d++) {
                partial[d] += w->x[n * D + d];
            }
        }
    }
}

void hl_sum_rows(int threads, int64_t N, int64_t D, const hl_real *x, bool add, hl_real *sum, hl_real *scratch)
{
    int blocks = hl_sum_blocks(N);
    hl_threads_run(hl_threads_for(threads, N * D), blocks, 1, sum_blocks,
                   &(rows_work){ .N = N, .D = D, .x = x, .partials = scratch });
    hl_sum_partials(1, blocks, D, scratch, add, sum);
}

double hl_sum_all(const hl_real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)x[i];
    }
    return sum;
}

static double sum_squares_of(const hl_real *x, int64_t n)
{
    double lanes[8] = { 0 }; /* several sums at once, so that an addition does not wait for the previous one */
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int lane = 0; lane < 8; lane++) {
            lanes[lane] += (double)x[i + lane] * (double)x[i + lane];
        }
    }
    double sum = 0;
    for (; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    for (int lane = 0; lane < 8; lane++) {
        sum += lanes[lane];
    }
    return sum;
}

typedef struct squares_work {
    const hl_real *x;
    int64_t n;
    double *sums; /* (SQUARES_RANGES) */
} squares_work;

/* The ranges and their blocks are fixed, no matter which thread sums them. */
static void sum_squares(const void *context, hl_range ranges)
{
    const squares_work *w = context;
    for (int64_t i = ranges.begin; i < ranges.end; i++) {
        int64_t begin, end;
        hl_threads_cut(w->n, SQUARES_BLOCK, (int)i, SQUARES_RANGES, &begin, &end);
        for (int64_t at = begin; at < end; at += SQUARES_BLOCK) {
            int64_t left = end - at;
            w->sums[i] += sum_squares_of(w->x + at, left < SQUARES_BLOCK ? left : SQUARES_BLOCK);
        }
    }
}

double hl_sum_squares(int threads, const hl_real *x, int64_t n)
{
    double sums[SQUARES_RANGES] = { 0 };
    hl_threads_run(hl_threads_for(threads, n), SQUARES_RANGES, 1, sum_squares, &(squares_work){ x, n, sums });
    double sum = 0;
    for (int i = 0; i < SQUARES_RANGES; i++) {
        sum += sums[i];
    }
    return sum;
}
