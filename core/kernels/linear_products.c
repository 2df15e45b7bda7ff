#include "core/kernels/private/linear_products.h"

#include "core/base/private/least.h"
#include "core/base/threads.h"
#include "core/kernels/matmul.h"
#include "core/kernels/private/linear_panels.h"
#include "core/kernels/private/linear_weight_grad.h"
#include "core/kernels/private/panel_product.h"
#include "core/kernels/private/reduce.h"
#include "core/kernels/small_matmul.h"

#include <string.h>

/* Returns a power of two, because most numbers of threads divide it evenly. If every group has a partial sum of dW,
 * there are about as many groups as blocks in a group. Adding the partial sums costs as much as that many blocks, and
 * few groups keep few threads busy. */
static int groups_of(int64_t n_blocks, hl_linear_sum sum)
{
    enum { MOST_PARTIALS = 16 };
    int64_t n_groups = 1, most = sum == HL_LINEAR_PARTIALS ? MOST_PARTIALS : HL_MAX_THREADS;
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
    /* summing a larger dW tile by tile is cheaper than a partial sum for each group */
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

/* The number of rows in a block: HL_LINEAR_BLOCK, or the rest. */
static int64_t rows_in(const hl_linear_rows *rows, int64_t block)
{
    return hl_least(HL_LINEAR_BLOCK, rows->N - block * HL_LINEAR_BLOCK);
}

static hl_linear_block numbers_of(const hl_linear_rows *rows, int64_t block)
{
    return (hl_linear_block){ block, block * HL_LINEAR_BLOCK * rows->O, rows_in(rows, block) * rows->O };
}

static int threads_for(const hl_linear_products *p)
{
    return hl_threads_for(p->threads, p->rows.N * p->rows.O * (1 + p->rows.I / 32));
}

static hl_small_matmul dW_shape(const hl_linear_rows *rows, int64_t m, bool add)
{
    int64_t O = rows->O, I = rows->I;
    return (hl_small_matmul){
        .M = O, .N = I, .K = m, .a_stride = O, .b_stride = I, .c_stride = I, .transposed = true, .add = add
    };
}

void hl_linear_prepare(const hl_linear_rows *rows)
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

/* ---- forward ---- */

int64_t hl_linear_packed_numbers(const hl_linear_rows *rows)
{
    return rows->generated ? hl_panels_weights_numbers(rows, false) : 0;
}

typedef struct forward_work {
    const hl_linear_products *p;
    const hl_real *packed;
    hl_real *y;
    hl_real *block; /* memory of hl_panels_forward for each thread */
} forward_work;

/* Sets y = b in each row. */
static void begin_at_bias(const void *context, hl_range range)
{
    const forward_work *work = context;
    int64_t O = work->p->rows.O;
    for (int64_t i = range.begin; i < range.end; i++) {
        memcpy(work->y + i * O, work->p->b, (size_t)O * sizeof *work->y);
    }
}

static void forward_blocks(const void *context, hl_range blocks)
{
    const forward_work *work = context;
    const hl_linear_products *p = work->p;
    const hl_linear_rows *rows = &p->rows;
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        int64_t first = block * HL_LINEAR_BLOCK;
        if (rows->generated) {
            hl_panels_forward(rows, rows_in(rows, block), p->x + first * rows->I, work->packed, p->b,
                              work->y + first * rows->O,
                              work->block + blocks.thread * hl_panels_block_numbers(rows, false));
        }
        if (p->finish != NULL) {
            p->finish(p->context, numbers_of(rows, block));
        }
    }
}

void hl_linear_forward(const hl_linear_products *p, hl_real *packed, bool made, hl_real *y, hl_real *scratch)
{
    const hl_linear_rows *rows = &p->rows;
    int64_t O = rows->O, I = rows->I;
    packed = packed != NULL ? packed : scratch;
    const forward_work work = { .p = p, .packed = packed, .y = y, .block = scratch + hl_linear_packed_numbers(rows) };
    int threads = threads_for(p);
    if (rows->generated && !made) {
        hl_panels_pack_weights(threads, rows, false, p->W, p->b, packed);
    } else if (!rows->generated) {
        if (p->b != NULL) {
            hl_threads_run(threads, rows->N, 1, begin_at_bias, &work);
        }
        hl_matmul_into(p->threads, rows->N, O, I, (hl_matrix){ p->x, I, false }, (hl_matrix){ p->W, I, true },
                       p->b != NULL, y, O);
    }
    if (rows->generated || p->finish != NULL) {
        hl_threads_run(threads, rows->n_blocks, 1, forward_blocks, &work);
    }
}

/* ---- backward ---- */

/* Whether a block's dp is no longer needed once its thread goes on to the next block. */
static bool dp_by_blocks(const hl_linear_rows *rows)
{
    return rows->sum == HL_LINEAR_PARTIALS || (rows->sum == HL_LINEAR_TILES && hl_weight_grad_packs_dp(rows));
}

/* Whether dp of all rows overwrites dy. */
static bool overwrites(const hl_linear_products *p)
{
    return p->put_dp != NULL && p->overwrites && !dp_by_blocks(&p->rows);
}

/* Where backward's intermediate results begin in scratch memory, one after the other, with W packed for dx first.
 * Packed data begin at cache lines, as scratch does. */
typedef struct layout {
    int64_t block; /* memory of hl_panels_dx for each thread */
    int64_t dW;    /* a partial sum for each group, or the memory that hl_matmul_rows_into or hl_weight_grad needs */
    int64_t dp;    /* for all rows, or for a block per thread; nothing if dp is dy */
    int64_t db;    /* a partial sum for each group */
    int64_t end;
} layout;

static layout layout_of(const hl_linear_products *p)
{
    const hl_linear_rows *rows = &p->rows;
    int64_t threads = hl_least(p->threads, rows->n_groups), dW = 0, dp = 0;
    if (rows->sum == HL_LINEAR_WHOLE) {
        dW = hl_matmul_rows_scratch(rows->O, rows->I, rows->N);
    } else if (rows->sum == HL_LINEAR_TILES) {
        dW = hl_weight_grad_numbers(rows);
    } else if (rows->n_groups > 1) {
        dW = rows->n_groups * rows->O * rows->I;
    }
    if (p->put_dp != NULL) {
        bool all = !dp_by_blocks(rows) && !overwrites(p);
        int64_t of_blocks = rows->generated ? threads * HL_LINEAR_BLOCK : 0; /* fewer rows may need it in any case */
        dp = (all ? rows->N : of_blocks) * rows->O;
    }
    layout at = { .block = rows->generated ? hl_panels_weights_numbers(rows, true) : 0 };
    at.dW = at.block + (rows->generated ? threads * hl_panels_block_numbers(rows, true) : 0);
    at.dp = at.dW + dW;
    at.db = at.dp + dp;
    at.end = at.db + rows->n_groups * rows->O;
    return at;
}

int64_t hl_linear_scratch(const hl_linear_products *p, bool backward)
{
    const hl_linear_rows *rows = &p->rows;
    int64_t of_block = rows->generated ? hl_panels_block_numbers(rows, false) : 0,
            forward = hl_linear_packed_numbers(rows) + hl_least(rows->n_blocks, p->threads) * of_block,
            back = backward ? layout_of(p).end : 0;
    return forward > back ? forward : back;
}

typedef struct backward_work {
    const hl_linear_products *p;
    hl_linear_grads grads;
    layout at;
    hl_real *dy, *scratch;
    const hl_real *W; /* in the form that hl_panels_dx reads */
} backward_work;

/* db (O) += the column sums of dp (n, O). */
static void sum_columns(int64_t n, int64_t O, const hl_real *dp, hl_real *db)
{
    for (int64_t i = 0; i < n; i++) {
#pragma omp simd
        for (int64_t o = 0; o < O; o++) {
            db[o] += dp[i * O + o];
        }
    }
}

/* dW (O, I) = (or +=, if `add`) dp^T x over n rows. */
static void block_dW(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *x, bool add, hl_real *dW)
{
    for (int64_t i = 0, m; i < n; i += m) {
        m = hl_panel_halved(HL_LINEAR_BLOCK, n - i);
        hl_small_matmul_run(dW_shape(rows, m, add || i > 0), dp + i * rows->O, x + i * rows->I, dW);
    }
}

static const hl_real *dp_of_block(const backward_work *w, int thread, int64_t block)
{
    const hl_linear_products *p = w->p;
    hl_linear_block numbers = numbers_of(&p->rows, block);
    if (p->put_dp == NULL) {
        return w->dy + numbers.first;
    }
    hl_real *dp = overwrites(p) ? w->dy : w->scratch + w->at.dp;
    dp += dp_by_blocks(&p->rows) ? thread * HL_LINEAR_BLOCK * p->rows.O : numbers.first;
    p->put_dp(p->context, numbers, dp);
    return dp;
}

/* Computes dp, dx, and the partial sums of dW and db for one group of rows. */
static void group_backward(const backward_work *w, int thread, int64_t group)
{
    const hl_linear_rows *rows = &w->p->rows;
    hl_linear_grads d = w->grads;
    int64_t O = rows->O, I = rows->I;
    hl_real *db = w->scratch + w->at.db + group * O, *dW = w->scratch + w->at.dW;
    memset(db, 0, (size_t)O * sizeof *db);
    int64_t begin, end;
    hl_threads_cut(rows->n_blocks, 1, (int)group, rows->n_groups, &begin, &end);
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block * HL_LINEAR_BLOCK, n = rows_in(rows, block);
        const hl_real *dp = dp_of_block(w, thread, block), *x = w->p->x + first * I;
        if (d.x.at != NULL && rows->generated) {
            hl_panels_dx(rows, n, dp, w->W, d.x.add, d.x.at + first * I,
                         w->scratch + w->at.block + thread * hl_panels_block_numbers(rows, true));
        }
        if (d.b.at != NULL) {
            sum_columns(n, O, dp, db);
        }
        if (d.W.at != NULL && rows->sum == HL_LINEAR_PARTIALS) {
            bool alone = rows->n_groups == 1;
            block_dW(rows, n, dp, x, block > begin || (alone && d.W.add), alone ? d.W.at : dW + group * O * I);
        } else if ((d.W.at != NULL || d.dW_later) && rows->sum == HL_LINEAR_TILES && hl_weight_grad_packs_dp(rows)) {
            hl_weight_grad_pack(rows, first, n, dp, x, dW);
        }
    }
}

static void backward_groups(const void *context, hl_range groups)
{
    for (int64_t group = groups.begin; group < groups.end; group++) {
        group_backward(context, groups.thread, group);
    }
}

/* dp of all rows, once the groups are done; undefined if dp_by_blocks. */
static const hl_real *all_dp(const hl_linear_products *p, const hl_real *dy, const hl_real *scratch)
{
    return p->put_dp == NULL || overwrites(p) ? dy : scratch + layout_of(p).dp;
}

void hl_linear_backward(const hl_linear_products *p, hl_real *dy, hl_linear_grads grads, hl_real *scratch)
{
    const hl_linear_rows *rows = &p->rows;
    int64_t N = rows->N, O = rows->O, I = rows->I;
    const hl_real *dp = all_dp(p, dy, scratch);
    hl_grad dx = grads.x, dW = grads.W, db = grads.b;
    backward_work work = { .p = p, .grads = grads, .at = layout_of(p), .dy = dy, .scratch = scratch };
    int threads = threads_for(p);
    if (dx.at != NULL && rows->generated) {
        work.W = hl_panels_pack_weights(threads, rows, true, p->W, NULL, scratch);
    }
    hl_threads_run(threads, rows->n_groups, 1, backward_groups, &work);
    if (db.at != NULL) {
        hl_sum_partials(p->threads, rows->n_groups, O, scratch + work.at.db, db.add, db.at);
    }
    if (dx.at != NULL && !rows->generated) {
        hl_matmul_into(p->threads, N, I, O, (hl_matrix){ dp, O, false }, (hl_matrix){ p->W, I, false }, dx.add, dx.at,
                       I);
    }
    hl_real *of_dW = scratch + work.at.dW;
    if (dW.at == NULL) {
        return;
    }
    if (rows->sum == HL_LINEAR_TILES) {
        hl_weight_grad(threads, rows, dp, p->x, of_dW, dW.add, dW.at);
    } else if (rows->sum == HL_LINEAR_WHOLE) {
        hl_matmul_rows_into(p->threads, O, I, N, dp, p->x, dW.add, dW.at, of_dW);
    } else if (rows->n_groups > 1) {
        hl_sum_partials(threads, rows->n_groups, O * I, of_dW, dW.add, dW.at);
    }
}

int hl_linear_dW_cut(const hl_linear_rows *rows, int most, int64_t *step)
{
    if (rows->sum == HL_LINEAR_WHOLE) {
        *step = HL_MATMUL_STEP;
        return hl_matmul_pieces(most, rows->O, rows->I, rows->N);
    }
    *step = hl_weight_grad_step(rows);
    return most;
}

void hl_linear_dW_part(const hl_linear_products *p, const hl_real *dy, const hl_real *scratch, int64_t begin,
                       int64_t end, hl_real *part)
{
    const hl_linear_rows *rows = &p->rows;
    const hl_real *dp = all_dp(p, dy, scratch);
    if (rows->sum == HL_LINEAR_WHOLE) {
        hl_matmul_serial(end - begin, rows->I, rows->N, (hl_matrix){ dp + begin, rows->O, true },
                         (hl_matrix){ p->x, rows->I, false }, 0, part, rows->I);
    } else {
        hl_weight_grad_rows(rows, dp, p->x, scratch + layout_of(p).dW, begin, end, part);
    }
}
