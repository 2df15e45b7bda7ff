#include "core/kernels/private/linear_panels.h"

#include "core/base/private/least.h"
#include "core/base/threads.h"
#include "core/kernels/private/linear_packing.h"
#include "core/kernels/private/panel_pack.h"
#include "core/kernels/private/panel_product.h"
#include "core/kernels/small_matmul.h"

#include <string.h>

/* Panels are read in pieces of this many rows along K. Such a piece stays in a second-level cache, beside a block of
 * rows. */
enum {
    FLOAT_K_AT_ONCE = 512,
    BF16_K_AT_ONCE = 2048,
    BEFORE_ROW = 16 /* numbers, one cache line, of which the last is a 1 (bias_leads) */
};

/* Whether b (or zeros without a b) is an additional row before the first row of W^T, and a 1 comes before each row of
 * x. The kernel then writes y once. If it began with a bias in y, it would wait for memory twice. The sums are the same
 * except for the sign of a zero. */
static bool bias_leads(const hl_linear_rows *rows)
{
    return !rows->bf16 && hl_linear_packs(rows, rows->O);
}

static hl_panel_product rows_product(const hl_linear_rows *rows, bool dx, int64_t n, bool add)
{
    int64_t K = hl_linear_depth(rows, dx ? rows->O : rows->I), M = dx ? rows->I : rows->O;
    int64_t depth = rows->bf16 ? BF16_K_AT_ONCE : FLOAT_K_AT_ONCE;
    bool packed = hl_linear_packs(rows, M), leads = !dx && bias_leads(rows);
    return (hl_panel_product){ .n = n,
                               .K = K,
                               .M = M,
                               .depth = depth,
                               .chunk = depth,
                               .a_stride = K,
                               .c_stride = M,
                               .b_stride = packed ? HL_PANEL : M,
                               .panel = packed ? HL_PANEL * (leads + K) : HL_PANEL,
                               .add = add,
                               .bf16 = rows->bf16 };
}

/* If the bias leads: the product of the bias and the first numbers of x. */
static hl_panel_product first_product(const hl_linear_rows *rows, int64_t n)
{
    hl_panel_product p = rows_product(rows, false, n, false);
    int64_t width = hl_least(rows->I, FLOAT_K_AT_ONCE);
    p.K = p.depth = p.chunk = 1 + width;
    p.a_stride = BEFORE_ROW + width;
    return p;
}

/* The product of the remaining numbers of x. If there are none, K is 0: nothing is generated and nothing multiplied. */
static hl_panel_product rest_product(const hl_linear_rows *rows, int64_t n)
{
    hl_panel_product p = rows_product(rows, false, n, true);
    p.K = rows->I - hl_least(rows->I, FLOAT_K_AT_ONCE);
    return p;
}

int64_t hl_panels_weights_numbers(const hl_linear_rows *rows, bool dx)
{
    hl_panel_product p = rows_product(rows, dx, 0, false);
    int64_t unpacked = dx ? 0 : p.M * p.K; /* W itself, or W^T */
    return hl_linear_packs(rows, p.M) ? hl_linear_reals(rows, hl_linear_count_panels(p.M) * p.panel) : unpacked;
}

int64_t hl_panels_block_numbers(const hl_linear_rows *rows, bool dx)
{
    if (!dx && bias_leads(rows)) {
        return HL_LINEAR_BLOCK * first_product(rows, 0).a_stride;
    }
    return rows->bf16 ? hl_linear_reals(rows, HL_LINEAR_BLOCK * rows_product(rows, dx, 0, false).K) : 0;
}

typedef struct packing {
    const hl_linear_rows *rows;
    bool dx;
    const hl_real *W, *b;
    hl_real *packed;
} packing;

/* A panel of W^T that begins with `count` numbers of b, or with zeros. */
static void lead_panel(int64_t count, const hl_real *b, hl_real *panel)
{
    for (int64_t i = 0; i < count; i++) {
        panel[i] = b != NULL ? b[i] : 0;
    }
}

static void pack_panels(const void *context, hl_range panels)
{
    const packing *p = context;
    const hl_packers *pack = hl_linear_packers(p->rows);
    int64_t O = p->rows->O, I = p->rows->I, panel = rows_product(p->rows, p->dx, 0, false).panel;
    int64_t first = panels.begin * HL_PANEL;
    if (p->dx) {
        pack->rows(O, hl_least(I, panels.end * HL_PANEL) - first, p->W + first, I,
                   p->packed + hl_linear_reals(p->rows, panels.begin * panel), panel);
        return;
    }
    for (int64_t i = panels.begin; i < panels.end; i++) {
        int64_t column = i * HL_PANEL, count = hl_least(HL_PANEL, O - column);
        hl_real *to = p->packed + hl_linear_reals(p->rows, i * panel);
        if (bias_leads(p->rows)) {
            lead_panel(count, p->b != NULL ? p->b + column : NULL, to);
            to += HL_PANEL;
        }
        pack->panel(count, I, p->W + column * I, I, to);
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
                                      const hl_real *b, hl_real *packed)
{
    packing p = { .rows = rows, .dx = dx, .W = W, .b = b, .packed = packed };
    int64_t M = dx ? rows->I : rows->O;
    if (hl_linear_packs(rows, M)) {
        hl_threads_run(threads, hl_linear_count_panels(M), 1, pack_panels, &p);
    } else if (!dx) {
        hl_threads_run(threads, rows->I, HL_CACHE_LINE, transpose_columns, &p);
    } else {
        return W;
    }
    return packed;
}

/* In bf16, the rows are first rounded, into `block`. */
static void multiply_rows(hl_panel_product p, const hl_real *A, int64_t width, const hl_real *packed, hl_real *C,
                          hl_real *block)
{
    if (p.bf16) {
        hl_bf16_packers()->plain(p.n, width, A, width, block, p.K);
        A = block;
    }
    hl_panel_multiply(&p, A, packed, C);
}

/* The first numbers of each row are copied to `block`, with the 1 before them. */
static void forward_after_bias(const hl_linear_rows *rows, int64_t n, const hl_real *x, const hl_real *packed,
                               hl_real *y, hl_real *block)
{
    hl_panel_product first = first_product(rows, n), rest = rest_product(rows, n);
    int64_t width = first.K - 1;
    for (int64_t i = 0; i < n; i++) {
        hl_real *row = block + i * first.a_stride + BEFORE_ROW;
        row[-1] = 1;
        memcpy(row, x + i * rows->I, (size_t)width * sizeof *row);
    }
    hl_panel_multiply(&first, block + BEFORE_ROW - 1, packed, y);
    hl_panel_multiply(&rest, x + width, packed + first.K * HL_PANEL, y);
}

void hl_panels_forward(const hl_linear_rows *rows, int64_t n, const hl_real *x, const hl_real *packed, const hl_real *b,
                       hl_real *y, hl_real *block)
{
    if (bias_leads(rows)) {
        forward_after_bias(rows, n, x, packed, y, block);
        return;
    }
    hl_panel_product p = rows_product(rows, false, n, false);
    p.start = b;
    multiply_rows(p, x, rows->I, packed, y, block);
}

void hl_panels_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *packed, bool add,
                  hl_real *dx, hl_real *block)
{
    multiply_rows(rows_product(rows, true, n, add), dp, rows->O, packed, dx, block);
}

void hl_panels_prepare(const hl_linear_rows *rows)
{
    hl_panel_product dx = rows_product(rows, true, HL_LINEAR_BLOCK, false);
    hl_panel_prepare(&dx);
    if (bias_leads(rows)) {
        hl_panel_product first = first_product(rows, HL_LINEAR_BLOCK), rest = rest_product(rows, HL_LINEAR_BLOCK);
        hl_panel_prepare(&first);
        hl_panel_prepare(&rest);
    } else {
        hl_panel_product y = rows_product(rows, false, HL_LINEAR_BLOCK, false);
        hl_panel_prepare(&y);
    }
}
