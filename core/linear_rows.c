#include "core/private/linear_rows.h"

#include "core/private/linear_panels.h"
#include "core/private/linear_weight_grad.h"
#include "core/private/panel_product.h"
#include "core/small_matmul.h"
#include "core/threads.h"

#include <string.h>

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
    bool generated = bf16 || hl_small_matmul_generates();
    /* A larger dW is cheaper to sum tile by tile than in a partial sum for each group. */
    bool tiles = bf16 || O * I > 1 << 16;
    hl_linear_sum sum = !generated ? HL_LINEAR_WHOLE : tiles ? HL_LINEAR_TILES : HL_LINEAR_PARTIALS;
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

void hl_linear_begin_at_bias(int threads, const hl_linear_rows *rows, const hl_real *b, hl_real *y)
{
    if (b != NULL) {
        hl_threads_run(threads, rows->N, 1, bias_rows, &(bias_work){ .O = rows->O, .b = b, .y = y });
    }
}

static hl_small_matmul dW_shape(const hl_linear_rows *rows, int64_t m, bool add)
{
    return (hl_small_matmul){
        .M = rows->O,
        .N = rows->I,
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
    if (rows->generated) {
        hl_panels_prepare(rows);
        if (rows->sum == HL_LINEAR_TILES) {
            hl_weight_grad_prepare(rows);
        }
    }
    for (int64_t m = HL_LINEAR_BLOCK; m > 0 && rows->sum == HL_LINEAR_PARTIALS; m /= 2) {
        hl_small_matmul_kernel(dW_shape(rows, m, false));
        hl_small_matmul_kernel(dW_shape(rows, m, true));
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
    for (int64_t i = 0, m; i < n; i += m) {
        m = hl_panel_halved(HL_LINEAR_BLOCK, n - i);
        hl_small_matmul_run(dW_shape(rows, m, add || i > 0), dp + i * rows->O, x + i * rows->I, dW);
    }
}
