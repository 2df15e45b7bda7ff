#include "core/private/bf16_rows.h"

#include "core/bf16.h"
#include "core/private/bf16_pack.h"
#include "core/small_matmul.h"
#include "core/threads.h"

#include <stddef.h>

/* K_AT_ONCE: of a panel, K of so many stays in a second-level cache beside a block of rows. */
enum {
    PANEL = HL_BF16_PANEL,
    K_AT_ONCE = 2048,
    ROWS_AT_ONCE = 512,
    ROWS_STRIDE = ROWS_AT_ONCE + 32,
    TILE_O = 64,
    SMALL_TILE_O = 16
};

/* C (n, m) = (or +=) A (n, k) B (k, m): A plain, B in a panel, k even. */
typedef struct kernel_shape {
    int64_t n, k, m;
    int64_t a_stride, c_stride;
    bool add;
} kernel_shape;

#if defined(HL_LIBXSMM) && !defined(HL_DOUBLE)
#include <libxsmm.h>

typedef libxsmm_bsmmfunction kernel;

/* LIBXSMM's matrices are column-major, and its first factor is the packed one. */
static kernel generate(kernel_shape s)
{
    const libxsmm_blasint lda = PANEL, ldb = (libxsmm_blasint)s.a_stride, ldc = (libxsmm_blasint)s.c_stride;
    const float alpha = 1, beta = s.add;
    const int flags = LIBXSMM_GEMM_FLAG_VNNI_A;
    return libxsmm_bsmmdispatch((libxsmm_blasint)s.m, (libxsmm_blasint)s.n, (libxsmm_blasint)s.k, &lda, &ldb, &ldc,
                                &alpha, &beta, &flags, NULL);
}

static void run(kernel k, const uint16_t *A, const uint16_t *B, float *C)
{
    k(B, A, C);
}

const char *hl_bf16_missing(void)
{
    if (hl_bf16_packers_compiled() == NULL) {
        return "this build is not compiled for CPUs with AVX512-BF16 (HEADLIGHT_NATIVE, on such a CPU, does that)";
    }
    if (!__builtin_cpu_supports("avx512bf16")) {
        return "this CPU has no AVX512-BF16";
    }
    hl_small_matmul_start();
    return libxsmm_get_target_archid() < LIBXSMM_X86_AVX512_CPX
               ? "LIBXSMM does not use AVX512-BF16 here (LIBXSMM_TARGET in the environment may forbid it)"
               : NULL;
}
#else
typedef void (*kernel)(void);

static kernel generate(kernel_shape s)
{
    (void)s;
    return NULL;
}

static void run(kernel k, const uint16_t *A, const uint16_t *B, hl_real *C)
{
    (void)k, (void)A, (void)B, (void)C;
}

const char *hl_bf16_missing(void)
{
#ifdef HL_DOUBLE
    return "double precision has no bf16";
#else
    return "this build has no LIBXSMM";
#endif
}
#endif

static int64_t even(int64_t n)
{
    return (n + 1) / 2 * 2;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of M columns in panels. */
static int64_t count_panels(int64_t M)
{
    return (M + PANEL - 1) / PANEL;
}

/* The largest power of two times `most` that is at most `left`: code is generated for few shapes of remainders. */
static int64_t halved(int64_t most, int64_t left)
{
    while (most > left) {
        most /= 2;
    }
    return most;
}

/* C (n, M) = (or +=) A (n, K) B (K, M), B in panels, K even. A stands in chunks of `depth` columns, `chunk` bf16 from
 * one to the next. K is cut into chunks; what is left is one piece or, with `halves`, for whatever K, pieces of
 * depth / 2, depth / 4 and so on. */
typedef struct product {
    int64_t n, K, M;
    int64_t depth, chunk;
    int64_t a_stride, c_stride;
    bool halves, add;
} product;

static int64_t piece_of(const product *p, int64_t left)
{
    return p->halves ? halved(p->depth, left) : least(p->depth, left);
}

/* One piece of K for n rows. */
static void multiply_piece(const product *p, kernel_shape shape, const uint16_t *A, const uint16_t *B, hl_real *C)
{
    int64_t panel = PANEL * p->K;
    kernel k = NULL;
    for (int64_t m = 0; m < p->M; m += PANEL) {
        if (k == NULL || p->M - m < PANEL) {
            shape.m = least(PANEL, p->M - m);
            k = generate(shape);
        }
        run(k, A, B + m / PANEL * panel, C + m);
    }
}

static void multiply(const product *p, const uint16_t *A, const uint16_t *B, hl_real *C)
{
    for (int64_t i = 0, n; i < p->n; i += n) {
        n = halved(HL_BF16_ROWS, p->n - i);
        for (int64_t at = 0, k; at < p->K; at += k) {
            k = piece_of(p, p->K - at);
            kernel_shape shape = {
                .n = n, .k = k, .a_stride = p->a_stride, .c_stride = p->c_stride, .add = p->add || at > 0
            };
            const uint16_t *a = A + at / p->depth * p->chunk + i * p->a_stride + at % p->depth;
            multiply_piece(p, shape, a, B + at * PANEL, C + i * p->c_stride);
        }
    }
}

/* Generates the code for all that `multiply` asks for, for at most p->n rows, and with p->halves for any K. */
static void prepare(const product *p)
{
    const int64_t left = p->K % p->depth, widths[] = { least(PANEL, p->M), p->M % PANEL };
    for (int64_t n = p->n; n > 0; n /= 2) {
        for (int64_t k = piece_of(p, p->K); k > 0; k = p->halves ? k / 4 * 2 : k == left ? 0 : left) {
            for (int i = 0; i < 4; i++) {
                if (widths[i % 2] > 0) {
                    generate((kernel_shape){ .n = n,
                                             .k = k,
                                             .m = widths[i % 2],
                                             .a_stride = p->a_stride,
                                             .c_stride = p->c_stride,
                                             .add = i >= 2 });
                }
            }
        }
    }
}

/* ---- y = x W^T, dx = dp W ---- */

static product rows_product(hl_bf16_map map, bool dx, int64_t n, bool add)
{
    int64_t K = even(dx ? map.O : map.I), M = dx ? map.I : map.O;
    return (product){
        .n = n, .K = K, .M = M, .depth = K_AT_ONCE, .chunk = K_AT_ONCE, .a_stride = K, .c_stride = M, .add = add
    };
}

int64_t hl_bf16_weights_numbers(hl_bf16_map map, bool dx)
{
    product p = rows_product(map, dx, 0, false);
    return count_panels(p.M) * PANEL * p.K / 2;
}

int64_t hl_bf16_block_numbers(hl_bf16_map map, bool dx)
{
    return HL_BF16_ROWS * rows_product(map, dx, 0, false).K / 2;
}

typedef struct packing {
    hl_bf16_map map;
    bool dx;
    const hl_real *W;
    uint16_t *packed;
} packing;

static void pack_panels(const void *context, hl_range panels)
{
    const packing *p = context;
    const hl_bf16_packers *pack = hl_bf16_packers_compiled();
    int64_t O = p->map.O, I = p->map.I, panel = PANEL * rows_product(p->map, p->dx, 0, false).K;
    int64_t first = panels.begin * PANEL;
    if (p->dx) {
        pack->rows(O, least(I, panels.end * PANEL) - first, p->W + first, I, p->packed + panels.begin * panel, panel);
        return;
    }
    for (int64_t i = panels.begin; i < panels.end; i++) {
        pack->panel(least(PANEL, O - i * PANEL), I, p->W + i * PANEL * I, I, p->packed + i * panel);
    }
}

void hl_bf16_pack_weights(int threads, hl_bf16_map map, bool dx, const hl_real *W, hl_real *packed)
{
    hl_threads_run(threads, count_panels(dx ? map.I : map.O), 1, pack_panels,
                   &(packing){ .map = map, .dx = dx, .W = W, .packed = (void *)packed });
}

static void multiply_rows(product p, const hl_real *A, int64_t width, const hl_real *packed, hl_real *C, hl_real *block)
{
    uint16_t *rounded = (void *)block;
    hl_bf16_packers_compiled()->plain(p.n, width, A, width, rounded, p.K);
    multiply(&p, rounded, (const void *)packed, C);
}

void hl_bf16_forward(hl_bf16_map map, int64_t n, const hl_real *x, const hl_real *packed, bool add, hl_real *y,
                     hl_real *block)
{
    multiply_rows(rows_product(map, false, n, add), x, map.I, packed, y, block);
}

void hl_bf16_dx(hl_bf16_map map, int64_t n, const hl_real *dp, const hl_real *packed, bool add, hl_real *dx,
                hl_real *block)
{
    multiply_rows(rows_product(map, true, n, add), dp, map.O, packed, dx, block);
}

/* ---- dW = dp^T x ---- */

/* x in panels as (N, I); behind it dp^T (O, N) in chunks of ROWS_AT_ONCE rows, whose stride is the same for every N, so
 * that no step generates code. */
static int64_t chunk_of(hl_bf16_map map)
{
    return map.O * ROWS_STRIDE;
}

static uint16_t *transposed_of(hl_bf16_map map, int64_t N, const hl_real *packed)
{
    return (uint16_t *)(void *)packed + count_panels(map.I) * PANEL * even(N);
}

int64_t hl_bf16_rows_numbers(hl_bf16_map map, int64_t N)
{
    int64_t chunks = (N + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    return (count_panels(map.I) * PANEL * even(N) + chunks * chunk_of(map)) / 2;
}

void hl_bf16_pack_rows(hl_bf16_map map, int64_t N, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                       hl_real *packed)
{
    const hl_bf16_packers *pack = hl_bf16_packers_compiled();
    pack->rows(n, map.I, x, map.I, (uint16_t *)(void *)packed + first * PANEL, PANEL * even(N));
    pack->transposed(n, map.O, dp, map.O,
                     transposed_of(map, N, packed) + first / ROWS_AT_ONCE * chunk_of(map) + first % ROWS_AT_ONCE,
                     ROWS_STRIDE);
}

/* Rows of dW in a tile: few where there would else be few tiles. */
static int64_t tile_rows(hl_bf16_map map)
{
    return map.O * map.I <= 1 << 14 ? SMALL_TILE_O : TILE_O;
}

static product dW_product(hl_bf16_map map, int64_t N, int64_t n, int64_t m, bool add)
{
    return (product){ .n = n,
                      .K = even(N),
                      .M = m,
                      .depth = ROWS_AT_ONCE,
                      .chunk = chunk_of(map),
                      .a_stride = ROWS_STRIDE,
                      .c_stride = map.I,
                      .halves = true,
                      .add = add };
}

typedef struct dW_work {
    hl_bf16_map map;
    int64_t N;
    const hl_real *packed;
    bool add;
    hl_real *dW;
    int64_t first; /* row of dW that lies there */
} dW_work;

static void dW_tiles(const void *context, hl_range tiles)
{
    const dW_work *w = context;
    int64_t O = w->map.O, I = w->map.I, height = tile_rows(w->map), across = count_panels(I);
    const uint16_t *x = (const void *)w->packed, *dp = transposed_of(w->map, w->N, w->packed);
    for (int64_t tile = tiles.begin; tile < tiles.end; tile++) {
        int64_t o = tile / across * height, panel = tile % across, i = panel * PANEL;
        product p = dW_product(w->map, w->N, least(height, O - o), least(PANEL, I - i), w->add);
        multiply(&p, dp + o * p.a_stride, x + panel * PANEL * p.K, w->dW + (o - w->first) * I + i);
    }
}

void hl_bf16_dW(int threads, hl_bf16_map map, int64_t N, const hl_real *packed, bool add, hl_real *dW)
{
    int64_t height = tile_rows(map);
    hl_threads_run(threads, (map.O + height - 1) / height * count_panels(map.I), 1, dW_tiles,
                   &(dW_work){ .map = map, .N = N, .packed = packed, .add = add, .dW = dW });
}

int64_t hl_bf16_dW_step(hl_bf16_map map)
{
    return tile_rows(map);
}

void hl_bf16_dW_rows(hl_bf16_map map, int64_t N, const hl_real *packed, int64_t begin, int64_t end, hl_real *part)
{
    int64_t height = tile_rows(map), across = count_panels(map.I), first = begin / height * across;
    dW_tiles(&(dW_work){ .map = map, .N = N, .packed = packed, .dW = part, .first = begin },
             (hl_range){ 0, first, first + (end - begin + height - 1) / height * across });
}

void hl_bf16_prepare(hl_bf16_map map)
{
    product products[] = { rows_product(map, false, HL_BF16_ROWS, false), rows_product(map, true, HL_BF16_ROWS, false),
                           dW_product(map, ROWS_AT_ONCE, tile_rows(map), map.I, false) };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        prepare(&products[i]);
    }
}
