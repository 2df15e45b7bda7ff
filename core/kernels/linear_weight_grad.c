#include "core/kernels/private/linear_weight_grad.h"

#include "core/base/private/least.h"
#include "core/base/threads.h"
#include "core/kernels/private/linear_packing.h"
#include "core/kernels/private/panel_pack.h"
#include "core/kernels/private/panel_product.h"

/* The product dp^T x is summed over ..._ROWS_AT_ONCE rows at a time. A block of dW then reads BLOCK_PANELS panels of x,
 * which fit into a second-level cache. ROWS_STRIDE is not a power of two, because rows at such a stride compete for the
 * same few lines of a first-level cache. */
enum {
    FLOAT_ROWS_AT_ONCE = 256,
    BF16_ROWS_AT_ONCE = 512,
    ROWS_STRIDE = BF16_ROWS_AT_ONCE + 32,
    TILE_O = 64,
    SMALL_TILE_O = 16,
    BLOCK_TILES = 2, /* of dW, one below the other */
    BLOCK_PANELS = 4,
    MOST_PACKED_ROWS = 4096
};

/* More rows would need much memory for the packed copy, and gain little from it. */
bool hl_weight_grad_packs_dp(const hl_linear_rows *rows)
{
    return rows->bf16 || rows->N <= MOST_PACKED_ROWS;
}

static bool packs_x(const hl_linear_rows *rows)
{
    return hl_weight_grad_packs_dp(rows) && hl_linear_packs(rows, rows->I);
}

/* The packed memory holds x in panels as (N, I), then dp. In float, dp is in panels as (N, O), because the kernels can
 * read it transposed. The kernels for bf16 cannot, so there it is dp^T (O, N), in chunks of rows. The stride of a chunk
 * is the same for every N, so that no step has to generate code. */
static int64_t x_count(const hl_linear_rows *rows)
{
    return packs_x(rows) ? hl_linear_count_panels(rows->I) * HL_PANEL * hl_linear_depth(rows, rows->N) : 0;
}

static int64_t dp_stride(const hl_linear_rows *rows)
{
    return rows->bf16 ? ROWS_STRIDE : hl_weight_grad_packs_dp(rows) ? HL_PANEL : rows->O;
}

static int64_t rows_at_once(const hl_linear_rows *rows)
{
    return rows->bf16 ? BF16_ROWS_AT_ONCE : FLOAT_ROWS_AT_ONCE;
}

static int64_t chunk_of(const hl_linear_rows *rows)
{
    return rows->bf16 ? rows->O * ROWS_STRIDE : FLOAT_ROWS_AT_ONCE * dp_stride(rows);
}

int64_t hl_weight_grad_numbers(const hl_linear_rows *rows)
{
    if (!hl_weight_grad_packs_dp(rows)) { /* memory that is enough for these rows is enough for any fewer, too */
        hl_linear_rows fewer = *rows;
        fewer.N = MOST_PACKED_ROWS;
        return hl_weight_grad_numbers(&fewer);
    }
    int64_t dp_count = hl_linear_count_panels(rows->O) * HL_PANEL * rows->N;
    if (rows->bf16) {
        dp_count = (rows->N + BF16_ROWS_AT_ONCE - 1) / BF16_ROWS_AT_ONCE * chunk_of(rows);
    }
    return hl_linear_reals(rows, x_count(rows) + dp_count);
}

void hl_weight_grad_pack(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                         hl_real *packed)
{
    const hl_packers *pack = hl_linear_packers(rows);
    int64_t panel = HL_PANEL * hl_linear_depth(rows, rows->N);
    if (packs_x(rows)) {
        pack->rows(n, rows->I, x, rows->I, packed + hl_linear_reals(rows, first * HL_PANEL), panel);
    }
    if (rows->bf16) {
        int64_t place = first / BF16_ROWS_AT_ONCE * chunk_of(rows) + first % BF16_ROWS_AT_ONCE;
        pack->transposed(n, rows->O, dp, rows->O, packed + hl_linear_reals(rows, x_count(rows) + place), ROWS_STRIDE);
    } else {
        pack->rows(n, rows->O, dp, rows->O, packed + hl_linear_reals(rows, x_count(rows) + first * HL_PANEL), panel);
    }
}

/* The number of rows of dW in a tile: fewer if there would otherwise be too few tiles. */
int64_t hl_weight_grad_step(const hl_linear_rows *rows)
{
    return rows->O * rows->I <= 1 << 14 ? SMALL_TILE_O : TILE_O;
}

static hl_panel_product dW_product(const hl_linear_rows *rows, int64_t n, int64_t m, bool add)
{
    bool packed = packs_x(rows);
    return (hl_panel_product){ .n = n,
                               .K = hl_linear_depth(rows, rows->N),
                               .M = m,
                               .depth = rows_at_once(rows),
                               .chunk = chunk_of(rows),
                               .a_stride = dp_stride(rows),
                               .c_stride = rows->I,
                               .b_stride = packed ? HL_PANEL : rows->I,
                               .panel = packed ? HL_PANEL * hl_linear_depth(rows, rows->N) : HL_PANEL,
                               .transposed = !rows->bf16,
                               .halves = true,
                               .add = add,
                               .bf16 = rows->bf16 };
}

/* Panels of dW from left to right; the last may be wider. */
static int64_t panels_across(const hl_linear_rows *rows)
{
    hl_panel_product p = dW_product(rows, 1, rows->I, false);
    int64_t wide = hl_panel_wide_columns(&p);
    return wide / HL_PANEL + (wide < rows->I);
}

typedef struct dW_work {
    const hl_linear_rows *rows;
    const hl_real *dp, *x, *packed;
    bool add;
    hl_real *dW;
    int64_t first, end;    /* the rows of dW to compute; `dW` begins with the first */
    int64_t tiles, panels; /* set by cut_tiles: tiles in a column, and panels per tile (the last may have fewer) */
} dW_work;

/* Computes the rows from `o` to `end` - 1 of dW in one column of tiles, in pieces of the rows of dp and x. So each
 * piece of x comes from memory once for all these rows, and each piece of dp once for all panels. */
static void dW_block(const dW_work *w, int64_t column, int64_t o, int64_t end)
{
    const hl_linear_rows *rows = w->rows;
    int64_t I = rows->I, K = hl_linear_depth(rows, rows->N), height = hl_weight_grad_step(rows),
            depth = rows_at_once(rows);
    int64_t panel = column * w->panels, i = panel * HL_PANEL;
    int64_t width = panel + w->panels < panels_across(rows) ? w->panels * HL_PANEL : I - i;
    const hl_real *dp = hl_weight_grad_packs_dp(rows) ? w->packed + hl_linear_reals(rows, x_count(rows)) : w->dp;
    const hl_real *x = packs_x(rows) ? w->packed : w->x;
    for (int64_t k = 0; k < K; k += depth) {
        for (int64_t at = o; at < end; at += height) {
            hl_panel_product p = dW_product(rows, hl_least(height, end - at), width, w->add || k > 0);
            p.K = hl_least(depth, K - k);
            int64_t column_of_dp = rows->bf16 ? at * p.a_stride : hl_weight_grad_packs_dp(rows) ? at * K : at;
            hl_panel_multiply(&p, dp + hl_linear_reals(rows, column_of_dp + k / depth * p.chunk),
                              x + hl_linear_reals(rows, panel * p.panel + k * p.b_stride),
                              w->dW + (at - w->first) * I + i);
        }
    }
}

/* Cuts the rows of dW into at least `enough` tiles, if smaller tiles are allowed. Returns how many there are. */
static int64_t cut_tiles(dW_work *w, int64_t enough)
{
    int64_t height = hl_weight_grad_step(w->rows), all = panels_across(w->rows);
    w->tiles = (w->end - w->first + height - 1) / height;
    w->panels = BLOCK_PANELS;
    while (w->panels > 1 && w->tiles * ((all + w->panels - 1) / w->panels) < enough) {
        w->panels /= 2;
    }
    return w->tiles * ((all + w->panels - 1) / w->panels);
}

/* Tiles are counted down the columns. */
static void dW_tiles(const void *context, hl_range range)
{
    const dW_work *w = context;
    int64_t height = hl_weight_grad_step(w->rows);
    for (int64_t tile = range.begin, end; tile < range.end; tile = end) {
        int64_t column = tile / w->tiles, top = column * w->tiles;
        end = hl_least(hl_least(tile + BLOCK_TILES, range.end), top + w->tiles);
        dW_block(w, column, w->first + (tile - top) * height, hl_least(w->end, w->first + (end - top) * height));
    }
}

void hl_weight_grad(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                    bool add, hl_real *dW)
{
    enum { FOR_EACH = 4 /* thread */ };
    dW_work w = { .rows = rows, .dp = dp, .x = x, .packed = packed, .add = add, .dW = dW, .end = rows->O };
    int64_t tiles = cut_tiles(&w, FOR_EACH * threads);
    hl_threads_run(threads, tiles, 1, dW_tiles, &w);
}

void hl_weight_grad_rows(const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                         int64_t begin, int64_t end, hl_real *part)
{
    dW_work w = { .rows = rows, .dp = dp, .x = x, .packed = packed, .dW = part, .first = begin, .end = end };
    int64_t tiles = cut_tiles(&w, 1);
    dW_tiles(&w, (hl_range){ .end = tiles });
}

void hl_weight_grad_prepare(const hl_linear_rows *rows)
{
    hl_linear_rows fewer = *rows; /* these are packed, and every piece of them comes up */
    fewer.N = rows_at_once(rows);
    hl_panel_product all = dW_product(rows, hl_weight_grad_step(rows), rows->I, false),
                     of_fewer = dW_product(&fewer, hl_weight_grad_step(rows), rows->I, false);
    hl_panel_prepare(&all);
    hl_panel_prepare(&of_fewer);
}
