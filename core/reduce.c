#include "core/private/reduce.h"

#include "core/threads.h"

#include <string.h>

/* Enough blocks for every thread there may be, and few enough that adding them up costs nothing. */
enum { MAX_BLOCKS = 16, MIN_BLOCK_ROWS = 64, SQUARES_BLOCK = 4096, SQUARES_PARTS = 64 };

int hl_sum_blocks(int64_t N)
{
    int64_t blocks = N / MIN_BLOCK_ROWS;
    return blocks < 1 ? 1 : blocks > MAX_BLOCKS ? MAX_BLOCKS : (int)blocks;
}

int64_t hl_sum_rows_scratch(int64_t N, int64_t D)
{
    return hl_sum_blocks(N) * D;
}

/* sum (n) of columns of parts `stride` apart, a line of them after the other: sixteen at once stay in registers. */
static void sum_columns(int n_parts, int64_t stride, int64_t n, const hl_real *parts, bool add, hl_real *sum)
{
    enum { WIDTH = 16 };
    int64_t d = 0;
    for (; d + WIDTH <= n; d += WIDTH) {
        hl_real totals[WIDTH] = { 0 };
        for (int part = 0; part < n_parts; part++) {
#pragma omp simd
            for (int l = 0; l < WIDTH; l++) {
                totals[l] += parts[part * stride + d + l];
            }
        }
        for (int l = 0; l < WIDTH; l++) {
            sum[d + l] = add ? sum[d + l] + totals[l] : totals[l];
        }
    }
    for (; d < n; d++) {
        hl_real total = 0;
        for (int part = 0; part < n_parts; part++) {
            total += parts[part * stride + d];
        }
        sum[d] = add ? sum[d] + total : total;
    }
}

typedef struct parts_work {
    int n_parts;
    int64_t D;
    const hl_real *parts;
    bool add;
    hl_real *sum;
} parts_work;

static void sum_parts(const void *context, hl_share columns)
{
    const parts_work *w = context;
    sum_columns(w->n_parts, w->D, columns.end - columns.begin, w->parts + columns.begin, w->add,
                w->sum + columns.begin);
}

void hl_sum_parts(int threads, int n_parts, int64_t D, const hl_real *parts, bool add, hl_real *sum)
{
    hl_threads_run(hl_threads_for(threads, n_parts * D), D, HL_CACHE_LINE, sum_parts,
                   &(parts_work){ n_parts, D, parts, add, sum });
}

typedef struct rows_work {
    int64_t N, D;
    const hl_real *x;
    hl_real *partials; /* (blocks, D) */
} rows_work;

static void sum_blocks(const void *context, hl_share blocks)
{
    const rows_work *w = context;
    int64_t N = w->N, D = w->D;
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        int64_t begin, end;
        hl_threads_part(N, 1, (int)block, hl_sum_blocks(N), &begin, &end);
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
    hl_threads_run(hl_threads_for(threads, N * D), blocks, 1, sum_blocks, &(rows_work){ N, D, x, scratch });
    hl_sum_parts(1, blocks, D, scratch, add, sum);
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
    double lanes[8] = { 0 }; /* several sums at once, so that one addition need not wait for the last */
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
    double *parts; /* (SQUARES_PARTS) */
} squares_work;

/* Each of the fixed parts is summed in fixed blocks, whichever thread takes it. */
static void sum_squares(const void *context, hl_share share)
{
    const squares_work *w = context;
    for (int64_t part = share.begin; part < share.end; part++) {
        int64_t begin, end;
        hl_threads_part(w->n, SQUARES_BLOCK, (int)part, SQUARES_PARTS, &begin, &end);
        for (int64_t at = begin; at < end; at += SQUARES_BLOCK) {
            int64_t left = end - at;
            w->parts[part] += sum_squares_of(w->x + at, left < SQUARES_BLOCK ? left : SQUARES_BLOCK);
        }
    }
}

double hl_sum_squares(int threads, const hl_real *x, int64_t n)
{
    double parts[SQUARES_PARTS] = { 0 };
    hl_threads_run(hl_threads_for(threads, n), SQUARES_PARTS, 1, sum_squares, &(squares_work){ x, n, parts });
    double sum = 0;
    for (int part = 0; part < SQUARES_PARTS; part++) {
        sum += parts[part];
    }
    return sum;
}
