#include "core/private/linear_panels.h"

#include "core/private/least.h"
#include "core/private/panel_pack.h"
#include "core/private/panel_product.h"
#include "core/small_matmul.h"
#include "core/threads.h"

#include <stddef.h>

/* Of a panel, K of so many stays in a second-level cache beside a block of rows; so do, of so many rows of dp and x,
 * the panels of x that a block of dW takes. The stride of rounded rows is no power of two, of which few would share a
 * first-level cache. */
enum {
    FLOAT_K_AT_ONCE = 512,
    BF16_K_AT_ONCE = 2048,
    FLOAT_ROWS_AT_ONCE = 256,
    BF16_ROWS_AT_ONCE = 512,
    ROWS_STRIDE = BF16_ROWS_AT_ONCE + 32,
    TILE_O = 64,
    SMALL_TILE_O = 16,
    BLOCK_TILES = 2, /* of dW, one below the other */
    BLOCK_PANELS = 4,
    MOST_UNPACKED = 512,
    MOST_PACKED_ROWS = 4096
};

static const hl_packers *packers_of(const hl_linear_rows *rows)
{
    return rows->bf16 ? hl_bf16_packers() : hl_float_packers();
}

/* The numbers of hl_real that `count` numbers of the map's type take, of which there is an even count in bf16. */
static int64_t reals_of(const hl_linear_rows *rows, int64_t count)
{
    return rows->bf16 ? count / 2 : count;
}

/* bf16 is multiplied in pairs. */
static int64_t depth_of(const hl_linear_rows *rows, int64_t K)
{
    return rows->bf16 ? (K + 1) / 2 * 2 : K;
}

/* Of M columns in panels. */
static int64_t count_panels(int64_t M)
{
    return (M + HL_PANEL - 1) / HL_PANEL;
}

/* Whether B of M columns is packed. In float narrow rows serve as they are, and so do those that would leave little. */
static bool packs(const hl_linear_rows *rows, int64_t M)
{
    return rows->bf16 || (M > MOST_UNPACKED && !hl_panel_leaves_little(M));
}

/* ---- y = x W^T, dx = dp W ---- */

static hl_panel_product rows_product(const hl_linear_rows *rows, bool dx, int64_t n, bool add)
{
    int64_t K = depth_of(rows, dx ? rows->O : rows->I), M = dx ? rows->I : rows->O;
    int64_t depth = rows->bf16 ? BF16_K_AT_ONCE : FLOAT_K_AT_ONCE;
    bool packed = packs(rows, M);
    return (hl_panel_product){ .n = n,
                               .K = K,
                               .M = M,
                               .depth = depth,
                               .chunk = depth,
                               .a_stride = K,
                               .c_stride = M,
                               .b_stride = packed ? HL_PANEL : M,
                               .panel = packed ? HL_PANEL * K : HL_PANEL,
                               .add = add,
                               .bf16 = rows->bf16 };
}

int64_t hl_panels_weights_numbers(const hl_linear_rows *rows, bool dx)
{
    hl_panel_product p = rows_product(rows, dx, 0, false);
    int64_t unpacked = dx ? 0 : p.M * p.K; /* W itself, or W^T */
    return packs(rows, p.M) ? reals_of(rows, count_panels(p.M) * HL_PANEL * p.K) : unpacked;
}

int64_t hl_panels_block_numbers(const hl_linear_rows *rows, bool dx)
{
    return rows->bf16 ? reals_of(rows, HL_LINEAR_BLOCK * rows_product(rows, dx, 0, false).K) : 0;
}

typedef struct packing {
    const hl_linear_rows *rows;
    bool dx;
    const hl_real *W;
    hl_real *packed;
} packing;

static void pack_panels(const void *context, hl_range panels)
{
    const packing *p = context;
    const hl_packers *pack = packers_of(p->rows);
    int64_t O = p->rows->O, I = p->rows->I, panel = HL_PANEL * rows_product(p->rows, p->dx, 0, false).K;
    int64_t first = panels.begin * HL_PANEL;
    if (p->dx) {
        pack->rows(O, hl_least(I, panels.end * HL_PANEL) - first, p->W + first, I,
                   p->packed + reals_of(p->rows, panels.begin * panel), panel);
        return;
    }
    for (int64_t i = panels.begin; i < panels.end; i++) {
        pack->panel(hl_least(HL_PANEL, O - i * HL_PANEL), I, p->W + i * HL_PANEL * I, I,
                    p->packed + reals_of(p->rows, i * panel));
    }
}

static void transpose_columns(const void *context, hl_range columns)
{
    const packing *p = context;
    int64_t O = p->rows->O, I = p->rows->I;
    for (int64_t i = columns.begin; i < columns.end; i += HL_CACHE_LINE) {
        hl_transpose(O, hl_least(HL_CACHE_LINE, columns.end - i), 1, p->W + i, I, p->packed + i * O, O);
    }
}

const hl_real *hl_panels_pack_weights(int threads, const hl_linear_rows *rows, bool dx, const hl_real *W,
                                      hl_real *packed)
{
    packing p = { .rows = rows, .dx = dx, .W = W, .packed = packed };
    int64_t M = dx ? rows->I : rows->O;
    if (packs(rows, M)) {
        hl_threads_run(threads, count_panels(M), 1, pack_panels, &p);
    } else if (!dx) {
        hl_threads_run(threads, rows->I, HL_CACHE_LINE, transpose_columns, &p);
    } else {
        return W;
    }
    return packed;
}

/* In bf16 the rows are rounded first, to `block`. */
static void multiply_rows(hl_panel_product p, const hl_real *A, int64_t width, const hl_real *packed, hl_real *C,
                          hl_real *block)
{
    if (p.bf16) {
        hl_bf16_packers()->plain(p.n, width, A, width, block, p.K);
        A = block;
    }
    hl_panel_multiply(&p, A, packed, C);
}

void hl_panels_forward(const hl_linear_rows *rows, int64_t n, const hl_real *x, const hl_real *packed, const hl_real *b,
                       hl_real *y, hl_real *block)
{
    hl_panel_product p = rows_product(rows, false, n, false);
    p.start = b;
    multiply_rows(p, x, rows->I, packed, y, block);
}

void hl_panels_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *packed, bool add,
                  hl_real *dx, hl_real *block)
{
    multiply_rows(rows_product(rows, true, n, add), dp, rows->O, packed, dx, block);
}

/* ---- dW = dp^T x ---- */

/* Many rows would take much memory, and serve as they are. */
bool hl_panels_pack_dp(const hl_linear_rows *rows)
{
    return rows->bf16 || rows->N <= MOST_PACKED_ROWS;
}

static bool packs_x(const hl_linear_rows *rows)
{
    return hl_panels_pack_dp(rows) && packs(rows, rows->I);
}

/* Packed, x stands in panels as (N, I); behind it dp, in float in panels as (N, O), which the kernels take transposed.
 * Those of bf16 do not: there it is dp^T (O, N), in chunks of rows, whose stride is the same for every N, so that no
 * step generates code. */
static int64_t x_count(const hl_linear_rows *rows)
{
    return packs_x(rows) ? count_panels(rows->I) * HL_PANEL * depth_of(rows, rows->N) : 0;
}

static int64_t dp_stride(const hl_linear_rows *rows)
{
    return rows->bf16 ? ROWS_STRIDE : hl_panels_pack_dp(rows) ? HL_PANEL : rows->O;
}

static int64_t rows_at_once(const hl_linear_rows *rows)
{
    return rows->bf16 ? BF16_ROWS_AT_ONCE : FLOAT_ROWS_AT_ONCE;
}

static int64_t chunk_of(const hl_linear_rows *rows)
{
    return rows->bf16 ? rows->O * ROWS_STRIDE : FLOAT_ROWS_AT_ONCE * dp_stride(rows);
}

int64_t hl_panels_rows_numbers(const hl_linear_rows *rows)
{
    if (!hl_panels_pack_dp(rows)) { /* memory that is enough for these rows is enough for any fewer, too */
        hl_linear_rows fewer = *rows;
        fewer.N = MOST_PACKED_ROWS;
        return hl_panels_rows_numbers(&fewer);
    }
    int64_t dp_count = count_panels(rows->O) * HL_PANEL * rows->N;
    if (rows->bf16) {
        dp_count = (rows->N + BF16_ROWS_AT_ONCE - 1) / BF16_ROWS_AT_ONCE * chunk_of(rows);
    }
    return reals_of(rows, x_count(rows) + dp_count);
}

void hl_panels_pack_rows(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                         hl_real *packed)
{
    const hl_packers *pack = packers_of(rows);
    int64_t panel = HL_PANEL * depth_of(rows, rows->N);
    if (packs_x(rows)) {
        pack->rows(n, rows->I, x, rows->I, packed + reals_of(rows, first * HL_PANEL), panel);
    }
    if (rows->bf16) {
        int64_t place = first / BF16_ROWS_AT_ONCE * chunk_of(rows) + first % BF16_ROWS_AT_ONCE;
        pack->transposed(n, rows->O, dp, rows->O, packed + reals_of(rows, x_count(rows) + place), ROWS_STRIDE);
    } else {
        pack->rows(n, rows->O, dp, rows->O, packed + reals_of(rows, x_count(rows) + first * HL_PANEL), panel);
    }
}

/* Rows of dW in a tile: few where there would else be few tiles. */
int64_t hl_panels_dW_step(const hl_linear_rows *rows)
{
    return rows->O * rows->I <= 1 << 14 ? SMALL_TILE_O : TILE_O;
}

static hl_panel_product dW_product(const hl_linear_rows *rows, int64_t n, int64_t m, bool add)
{
    bool packed = packs_x(rows);
    return (hl_panel_product){ .n = n,
                               .K = depth_of(rows, rows->N),
                               .M = m,
                               .depth = rows_at_once(rows),
                               .chunk = chunk_of(rows),
                               .a_stride = dp_stride(rows),
                               .c_stride = rows->I,
                               .b_stride = packed ? HL_PANEL : rows->I,
                               .panel = packed ? HL_PANEL * depth_of(rows, rows->N) : HL_PANEL,
                               .transposed = !rows->bf16,
                               .halves = true,
                               .add = add,
                               .bf16 = rows->bf16 };
}

/* Of dW, of which the last may be the wider. */
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
    int64_t first, end;    /* the rows of dW that are computed; the first lies there */
    int64_t tiles, panels; /* cut_tiles: tiles in a column, each of so many panels or what is left of them */
} dW_work;

/* The rows from `o` to `end` - 1 of dW in one column of tiles, piece by piece of the rows of dp and x: so each piece of
 * x comes from memory once for all of them, and each piece of dp once for all panels. */
static void dW_block(const dW_work *w, int64_t column, int64_t o, int64_t end)
{
    const hl_linear_rows *rows = w->rows;
    int64_t I = rows->I, K = depth_of(rows, rows->N), height = hl_panels_dW_step(rows), depth = rows_at_once(rows);
    int64_t panel = column * w->panels, i = panel * HL_PANEL;
    int64_t width = panel + w->panels < panels_across(rows) ? w->panels * HL_PANEL : I - i;
    const hl_real *dp = hl_panels_pack_dp(rows) ? w->packed + reals_of(rows, x_count(rows)) : w->dp;
    const hl_real *x = packs_x(rows) ? w->packed : w->x;
    for (int64_t k = 0; k < K; k += depth) {
        for (int64_t at = o; at < end; at += height) {
            hl_panel_product p = dW_product(rows, hl_least(height, end - at), width, w->add || k > 0);
            p.K = hl_least(depth, K - k);
            int64_t column_of_dp = rows->bf16 ? at * p.a_stride : hl_panels_pack_dp(rows) ? at * K : at;
            hl_panel_multiply(&p, dp + reals_of(rows, column_of_dp + k / depth * p.chunk),
                              x + reals_of(rows, panel * p.panel + k * p.b_stride), w->dW + (at - w->first) * I + i);
        }
    }
}

/* Cuts the rows of dW into `enough` tiles or more, where smaller ones allow that; returns how many. */
static int64_t cut_tiles(dW_work *w, int64_t enough)
{
    int64_t height = hl_panels_dW_step(w->rows), all = panels_across(w->rows);
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
    int64_t height = hl_panels_dW_step(w->rows);
    for (int64_t tile = range.begin, end; tile < range.end; tile = end) {
        int64_t column = tile / w->tiles, top = column * w->tiles;
        end = hl_least(hl_least(tile + BLOCK_TILES, range.end), top + w->tiles);
        dW_block(w, column, w->first + (tile - top) * height, hl_least(w->end, w->first + (end - top) * height));
    }
}

void hl_panels_dW(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                  bool add, hl_real *dW)
{
    enum { FOR_EACH = 4 /* thread */ };
    dW_work w = { .rows = rows, .dp = dp, .x = x, .packed = packed, .add = add, .dW = dW, .end = rows->O };
    int64_t tiles = cut_tiles(&w, FOR_EACH * threads);
    hl_threads_run(threads, tiles, 1, dW_tiles, &w);
}

void hl_panels_dW_rows(const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                       int64_t begin, int64_t end, hl_real *part)
{
    dW_work w = { .rows = rows, .dp = dp, .x = x, .packed = packed, .dW = part, .first = begin, .end = end };
    int64_t tiles = cut_tiles(&w, 1);
    dW_tiles(&w, (hl_range){ .end = tiles });
}

void hl_panels_prepare(const hl_linear_rows *rows)
{
    hl_linear_rows fewer = *rows; /* these are packed, and every piece of them comes up */
    fewer.N = rows_at_once(rows);
    hl_panel_product products[] = { dW_product(rows, hl_panels_dW_step(rows), rows->I, false),
                                    dW_product(&fewer, hl_panels_dW_step(rows), rows->I, false),
                                    rows_product(rows, false, HL_LINEAR_BLOCK, false),
                                    rows_product(rows, true, HL_LINEAR_BLOCK, false) };
    size_t n = sizeof products / sizeof *products;
    for (size_t i = rows->sum == HL_LINEAR_TILES ? 0 : 2; i < n; i++) {
        hl_panel_prepare(&products[i]);
    }
}
