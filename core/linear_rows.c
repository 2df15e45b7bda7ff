#include "core/private/linear_rows.h"

#include "core/private/bf16_rows.h"
#include "core/small_matmul.h"
#include "core/threads.h"

#include <string.h>

/* A tile of dW takes 64 kB. */
enum { TILE_O = HL_LINEAR_TILE, TILE_I = 256 };

/* A power of two, which most numbers of threads divide evenly. Where every group has a partial sum of dW, there are
 * about as many groups as blocks in a group: adding up the partial sums costs as much as that many blocks, and few
 * groups keep few threads busy. */
static int groups_of(int64_t n_blocks, hl_linear_sum sum)
{
    int64_t n_groups = 1, most = sum == HL_LINEAR_PARTIALS ? HL_LINEAR_MAX_PARTIALS : HL_MAX_THREADS;
    while (2 * n_groups <= most && 2 * n_groups <= n_blocks &&
           (sum != HL_LINEAR_PARTIALS || n_groups * n_groups <= n_blocks)) {
        n_groups *= 2;
    }
    return (int)n_groups;
}

hl_linear_rows hl_linear_rows_of(int64_t N, int64_t O, int64_t I, bool bf16)
{
    int64_t n_blocks = (N + HL_LINEAR_BLOCK - 1) / HL_LINEAR_BLOCK;
    /* More weights do not stay in a second-level cache of 1 MiB. */
    bool generated = bf16 || (hl_small_matmul_generates() && O * I <= 1 << 18);
    /* A larger dW is cheaper to sum tile by tile than in a partial sum for each group. */
    hl_linear_sum sum = O * I <= 1 << 16 ? HL_LINEAR_PARTIALS : HL_LINEAR_TILES;
    sum = bf16 ? HL_LINEAR_BF16 : generated ? sum : HL_LINEAR_WHOLE;
    return (hl_linear_rows){
        .N = N,
        .O = O,
        .I = I,
        .n_blocks = n_blocks,
        .n_groups = groups_of(n_blocks, sum),
        .generated = generated,
        .bf16 = bf16,
        .sum = sum,
    };
}

int64_t hl_linear_block_rows(const hl_linear_rows *rows, int64_t block)
{
    int64_t left = rows->N - block * HL_LINEAR_BLOCK;
    return left < HL_LINEAR_BLOCK ? left : HL_LINEAR_BLOCK;
}

static hl_bf16_map map_of(const hl_linear_rows *rows)
{
    return (hl_bf16_map){ rows->O, rows->I };
}

typedef struct transposition {
    int64_t O, I;
    const hl_real *W;
    hl_real *T;
} transposition;

static void transpose_columns(const void *context, hl_range columns)
{
    const transposition *t = context;
    for (int64_t i = columns.begin; i < columns.end; i += HL_CACHE_LINE) {
        int64_t n = columns.end - i < HL_CACHE_LINE ? columns.end - i : HL_CACHE_LINE;
        hl_transpose(t->O, n, 1, t->W + i, t->I, t->T + i * t->O, t->O);
    }
}

void hl_linear_transpose(int threads, const hl_linear_rows *rows, const hl_real *W, hl_real *T)
{
    int64_t O = rows->O, I = rows->I;
    if (rows->bf16) {
        hl_bf16_pack_weights(threads, map_of(rows), false, W, T);
        return;
    }
    hl_threads_run(threads, I, HL_CACHE_LINE, transpose_columns, &(transposition){ .O = O, .I = I, .W = W, .T = T });
}

int64_t hl_linear_transposed_numbers(const hl_linear_rows *rows)
{
    return rows->bf16 ? hl_bf16_weights_numbers(map_of(rows), false) : rows->O * rows->I;
}

typedef struct bias_work {
    int64_t O;
    const hl_real *b;
    hl_real *y;
} bias_work;

static void bias_rows(const void *context, hl_range rows)
{
    const bias_work *work = context;
    for (int64_t i = rows.begin; i < rows.end; i++) {
        memcpy(work->y + i * work->O, work->b, (size_t)work->O * sizeof *work->y);
    }
}

void hl_linear_begin_at_bias(int threads, const hl_linear_rows *rows, const hl_real *b, int64_t n, hl_real *y)
{
    if (b != NULL) {
        hl_threads_run(threads, n, 1, bias_rows, &(bias_work){ .O = rows->O, .b = b, .y = y });
    }
}

/* The largest power of two that is at most `left` and a block: code is generated for few shapes of remainders. */
static int64_t piece_of(int64_t left)
{
    int64_t piece = HL_LINEAR_BLOCK;
    while (piece > left) {
        piece /= 2;
    }
    return piece;
}

/* Of m rows: the shapes of the functions below. */
static hl_small_matmul forward_shape(const hl_linear_rows *rows, int64_t m, bool add)
{
    return (hl_small_matmul){
        .M = m,
        .N = rows->O,
        .K = rows->I,
        .a_stride = rows->I,
        .b_stride = rows->O,
        .c_stride = rows->O,
        .add = add,
    };
}

static hl_small_matmul dx_shape(const hl_linear_rows *rows, int64_t m, bool add)
{
    return (hl_small_matmul){
        .M = m,
        .N = rows->I,
        .K = rows->O,
        .a_stride = rows->O,
        .b_stride = rows->I,
        .c_stride = rows->I,
        .add = add,
    };
}

/* Of a part of dW. */
static hl_small_matmul dW_shape(const hl_linear_rows *rows, int64_t height, int64_t width, int64_t m, bool add)
{
    return (hl_small_matmul){
        .M = height,
        .N = width,
        .K = m,
        .a_stride = rows->O,
        .b_stride = rows->I,
        .c_stride = rows->I,
        .transposed = true,
        .add = add,
    };
}

void hl_linear_rows_prepare(const hl_linear_rows *rows)
{
    if (rows->bf16) {
        hl_bf16_prepare(map_of(rows));
    }
    if (!rows->generated || rows->bf16) {
        return;
    }
    bool tiles = rows->sum == HL_LINEAR_TILES;
    int64_t height = tiles && rows->O > TILE_O ? TILE_O : rows->O, width = tiles && rows->I > TILE_I ? TILE_I : rows->I;
    for (int64_t m = HL_LINEAR_BLOCK; m > 0; m /= 2) {
        for (int add = 0; add < 2; add++) {
            hl_small_matmul_kernel(forward_shape(rows, m, add != 0));
            hl_small_matmul_kernel(dx_shape(rows, m, add != 0));
            for (int64_t o = 0; o < rows->O; o += height) {
                for (int64_t i = 0; i < rows->I; i += width) {
                    int64_t down = rows->O - o < height ? rows->O - o : height,
                            across = rows->I - i < width ? rows->I - i : width;
                    hl_small_matmul_kernel(dW_shape(rows, down, across, m, add != 0));
                }
            }
        }
    }
}

void hl_linear_rows_forward(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *x, const hl_real *T,
                            bool add, hl_real *y, hl_real *block)
{
    int64_t O = rows->O, I = rows->I;
    if (rows->bf16) {
        hl_bf16_forward(map_of(rows), n, x + first * I, T, add, y + first * O, block);
        return;
    }
    for (int64_t i = first, m; i < first + n; i += m) {
        m = piece_of(first + n - i);
        hl_small_matmul_run(forward_shape(rows, m, add), x + i * I, T, y + i * O);
    }
}

void hl_linear_rows_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *W, bool add,
                       hl_real *dx, hl_real *block)
{
    int64_t O = rows->O, I = rows->I;
    if (rows->bf16) {
        hl_bf16_dx(map_of(rows), n, dp, W, add, dx, block);
        return;
    }
    for (int64_t i = 0, m; i < n; i += m) {
        m = piece_of(n - i);
        hl_small_matmul_run(dx_shape(rows, m, add), dp + i * O, W, dx + i * I);
    }
}

void hl_linear_rows_db(const hl_linear_rows *rows, int64_t n, const hl_real *dp, hl_real *db)
{
    for (int64_t i = 0; i < n; i++) {
#pragma omp simd
        for (int64_t o = 0; o < rows->O; o++) {
            db[o] += dp[i * rows->O + o];
        }
    }
}

void hl_linear_rows_dW(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *x, bool add,
                       hl_real *dW)
{
    int64_t O = rows->O, I = rows->I;
    for (int64_t i = 0, m; i < n; i += m) {
        m = piece_of(n - i);
        hl_small_matmul_run(dW_shape(rows, O, I, m, add || i > 0), dp + i * O, x + i * I, dW);
    }
}

typedef struct tiles_work {
    const hl_linear_rows *rows;
    const hl_real *dp, *x;
    bool add;
    hl_real *dW;
    int64_t first; /* row of dW that lies there */
} tiles_work;

/* Computes the tile of dW whose corner is (o, i). */
static void tile_dW(const tiles_work *work, int64_t o, int64_t i)
{
    int64_t N = work->rows->N, O = work->rows->O, I = work->rows->I;
    int64_t height = O - o < TILE_O ? O - o : TILE_O, width = I - i < TILE_I ? I - i : TILE_I;
    for (int64_t n = 0, m; n < N; n += m) {
        m = piece_of(N - n);
        hl_small_matmul_run(dW_shape(work->rows, height, width, m, work->add || n > 0), work->dp + n * O + o,
                            work->x + n * I + i, work->dW + (o - work->first) * I + i);
    }
}

static int64_t tiles_across(const hl_linear_rows *rows)
{
    return (rows->I + TILE_I - 1) / TILE_I;
}

static void tiles_dW(const void *context, hl_range tiles)
{
    const tiles_work *work = context;
    int64_t across = tiles_across(work->rows);
    for (int64_t tile = tiles.begin; tile < tiles.end; tile++) {
        tile_dW(work, tile / across * TILE_O, tile % across * TILE_I);
    }
}

void hl_linear_tiles_dW(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, bool add,
                        hl_real *dW)
{
    int64_t down = (rows->O + TILE_O - 1) / TILE_O;
    hl_threads_run(threads, tiles_across(rows) * down, 1, tiles_dW,
                   &(tiles_work){ .rows = rows, .dp = dp, .x = x, .add = add, .dW = dW });
}

void hl_linear_tiles_dW_rows(const hl_linear_rows *rows, int64_t begin, int64_t end, const hl_real *dp,
                             const hl_real *x, hl_real *part)
{
    int64_t across = tiles_across(rows), down = (end - begin + TILE_O - 1) / TILE_O, first = begin / TILE_O * across;
    tiles_dW(&(tiles_work){ .rows = rows, .dp = dp, .x = x, .dW = part, .first = begin },
             (hl_range){ 0, first, first + down * across });
}
