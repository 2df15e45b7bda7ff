#include "core/kernels/small_matmul.h"

#include "core/base/memory.h"
#include "core/base/private/least.h"
#include "core/kernels/bf16.h"
#include "core/kernels/matmul.h"
#include "core/kernels/private/panel_pack.h"

#include <string.h>

#if defined(HL_LIBXSMM) && !defined(HL_DOUBLE)
#include <libxsmm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

const char *hl_small_matmul_libxsmm(void)
{
    return LIBXSMM_CONFIG_VERSION;
}

const char *hl_small_matmul_target(void)
{
    hl_small_matmul_start();
    return libxsmm_get_target_arch();
}

/* The system may refuse LIBXSMM a mapping for a product's code, for example under ulimit -v. LIBXSMM then takes memory
 * from its allocator and jumps there, even if that memory could not be made executable. Memory from malloc cannot,
 * because it does not begin at a page. These pages can. They cost address space, and memory only when used. */
enum { PAGE_BYTES = 4096, SPARE_BYTES = 2 << 20 };
static _Alignas(PAGE_BYTES) char spare[SPARE_BYTES];
static atomic_size_t spare_used;

static void *take_spare(size_t bytes)
{
    size_t first = atomic_fetch_add(&spare_used, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    return first + bytes <= SPARE_BYTES ? spare + first : NULL; /* with NULL, LIBXSMM declines the shape */
}

static void keep_spare(void *block)
{
    (void)block;
}

static bool has_registry; /* of generated code; without it, LIBXSMM crashes */

/* LIBXSMM's start puts OMP_PROC_BIND=TRUE into the environment. OpenMP has read the variable before, but in a process
 * that this one starts it would bind OpenMP to one core. The registry is requested here and never again, because
 * LIBXSMM searches all its entries for it, and fails at an entry that another thread is making. */
static void start(void)
{
    bool is_set = getenv("OMP_PROC_BIND") != NULL;
    libxsmm_registry_info info;
    libxsmm_init();
    if (!is_set) {
        unsetenv("OMP_PROC_BIND");
    }
    has_registry = libxsmm_get_registry_info(&info) == 0;
    libxsmm_set_default_allocator(NULL, (libxsmm_malloc_function){ .function = take_spare },
                                  (libxsmm_free_function){ .function = keep_spare });
}

void hl_small_matmul_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* ops ask at every step, from any thread */
    pthread_once(&once, start);
}

hl_status hl_small_matmul_prepare(void)
{
    hl_small_matmul_start();
    if (!has_registry || !hl_memory_has(HL_MEMORY_RESERVE)) {
        return hl_error_memory("the code of matrix products (LIBXSMM)");
    }
    return hl_ok();
}

/* LIBXSMM's matrices are column-major: its product of B^T and A^T is C^T, which is C in row-major order. */
static void (*generate(const hl_small_matmul *s))(void)
{
    const libxsmm_blasint a_stride = (libxsmm_blasint)s->a_stride, b_stride = (libxsmm_blasint)s->b_stride;
    const libxsmm_blasint c_stride = (libxsmm_blasint)s->c_stride;
    const float alpha = 1, beta = s->add;
    const libxsmm_blasint m = (libxsmm_blasint)s->N, n = (libxsmm_blasint)s->M, k = (libxsmm_blasint)s->K;
    const int flags = s->bf16         ? LIBXSMM_GEMM_FLAG_VNNI_A
                      : s->transposed ? LIBXSMM_GEMM_FLAG_TRANS_B
                                      : LIBXSMM_GEMM_FLAG_NONE;
    if (s->bf16) {
        return (void (*)(void))libxsmm_bsmmdispatch(m, n, k, &b_stride, &a_stride, &c_stride, &alpha, &beta, &flags,
                                                    NULL);
    }
    return (void (*)(void))libxsmm_smmdispatch(m, n, k, &b_stride, &a_stride, &c_stride, &alpha, &beta, &flags, NULL);
}

static void run_generated(const hl_small_kernel *kernel, const void *A, const void *B, hl_real *C)
{
    if (kernel->shape.bf16) {
        ((libxsmm_bsmmfunction)kernel->generated)(B, A, C);
    } else {
        ((libxsmm_smmfunction)kernel->generated)(B, A, C);
    }
}

const char *hl_bf16_missing(void)
{
    if (hl_bf16_packers() == NULL) {
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
void hl_small_matmul_start(void)
{
}

const char *hl_small_matmul_libxsmm(void)
{
    return NULL;
}

const char *hl_small_matmul_target(void)
{
    return NULL;
}

hl_status hl_small_matmul_prepare(void)
{
    return hl_ok();
}

static void (*generate(const hl_small_matmul *s))(void)
{
    (void)s;
    return NULL;
}

static void run_generated(const hl_small_kernel *kernel, const void *A, const void *B, hl_real *C)
{
    (void)kernel, (void)A, (void)B, (void)C;
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

bool hl_small_matmul_generates(void)
{
    return hl_small_matmul_libxsmm() != NULL;
}

hl_small_kernel hl_small_matmul_kernel(hl_small_matmul shape)
{
    bool empty = shape.M == 0 || shape.N == 0 || shape.K == 0;
    return (hl_small_kernel){ shape, empty ? NULL : generate(&shape) };
}

static hl_real number_of(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* For shapes that LIBXSMM declines, for example without memory for its code. */
static void multiply_bf16(const hl_small_matmul *s, const uint16_t *A, const uint16_t *B, hl_real *C)
{
    for (int64_t i = 0; i < s->M; i++) {
        for (int64_t j = 0; j < s->N; j++) {
            hl_real sum = s->add ? C[i * s->c_stride + j] : 0;
            for (int64_t k = 0; k < s->K; k++) {
                uint16_t b = B[(k / 2 * s->b_stride + j) * 2 + k % 2];
                sum += number_of(A[i * s->a_stride + k]) * number_of(b);
            }
            C[i * s->c_stride + j] = sum;
        }
    }
}

void hl_small_kernel_run(const hl_small_kernel *kernel, const void *A, const void *B, hl_real *C)
{
    const hl_small_matmul *s = &kernel->shape;
    if (kernel->generated != NULL) {
        run_generated(kernel, A, B, C);
    } else if (s->bf16) {
        multiply_bf16(s, A, B, C);
    } else {
        hl_matmul_serial(s->M, s->N, s->K, (hl_matrix){ A, s->a_stride, s->transposed },
                         (hl_matrix){ B, s->b_stride, false }, s->add, C, s->c_stride);
    }
}

void hl_small_matmul_run(hl_small_matmul shape, const hl_real *A, const hl_real *B, hl_real *C)
{
    hl_small_kernel kernel = hl_small_matmul_kernel(shape);
    hl_small_kernel_run(&kernel, A, B, C);
}

/* A cache line holds STRIP floats, and a strip has as many rows. Lines are fetched AHEAD numbers ahead. */
enum { TILE = 4, STRIP = 16, AHEAD = 64 };
typedef hl_real tile_row __attribute__((vector_size(TILE * sizeof(hl_real))));

/* Transposes four rows by four columns in registers: compilers would move single numbers. */
static void transpose_tile(hl_real factor, const hl_real *x, int64_t x_stride, hl_real *y, int64_t y_stride)
{
    tile_row a[TILE], b[TILE];
    for (int i = 0; i < TILE; i++) {
        memcpy(&a[i], x + i * x_stride, sizeof a[i]);
        a[i] *= factor;
    }
    for (int i = 0; i < 2; i++) { /* rows 0 and 2, then 1 and 3 */
        b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 4, 1, 5);
        b[i + 2] = __builtin_shufflevector(a[i], a[i + 2], 2, 6, 3, 7);
    }
    for (int i = 0; i < TILE; i += 2) {
        a[i] = __builtin_shufflevector(b[i], b[i + 1], 0, 4, 1, 5);
        a[i + 1] = __builtin_shufflevector(b[i], b[i + 1], 2, 6, 3, 7);
    }
    for (int i = 0; i < TILE; i++) {
        memcpy(y + i * y_stride, &a[i], sizeof a[i]);
    }
}

/* Transposes rows first .. end - 1 of x, four by four, and the rest one by one. A row's part of a cache line is read
 * completely before the next row's. So rows whose lines compete for the same cache set do not evict each other. If the
 * rows lie far apart, the hardware does not guess what comes next. */
static void transpose_strip(int64_t first, int64_t end, int64_t width, hl_real factor, const hl_real *x,
                            int64_t x_stride, hl_real *y, int64_t y_stride)
{
    int64_t rows = first + (end - first) / TILE * TILE, columns = width / TILE * TILE;
    for (int64_t line = 0; line < columns; line += STRIP) {
        int64_t last = hl_least(line + STRIP, columns);
        for (int64_t i = first; i < rows; i += TILE) {
            for (int r = 0; r < TILE && line + AHEAD < width; r++) {
                __builtin_prefetch(x + (i + r) * x_stride + line + AHEAD);
            }
            for (int64_t d = line; d < last; d += TILE) {
                transpose_tile(factor, x + i * x_stride + d, x_stride, y + d * y_stride + i, y_stride);
            }
        }
    }
    for (int64_t d = 0; d < width; d++) {
        for (int64_t i = d < columns ? rows : first; i < end; i++) {
            y[d * y_stride + i] = factor * x[i * x_stride + d];
        }
    }
}

/* Works by strips of rows for which the cache can hold all lines at once. If the stride is a power of two, many rows
 * share few cache sets. */
void hl_transpose(int64_t n, int64_t width, hl_real factor, const hl_real *x, int64_t x_stride, hl_real *y,
                  int64_t y_stride)
{
    for (int64_t first = 0; first < n; first += STRIP) {
        transpose_strip(first, first + STRIP < n ? first + STRIP : n, width, factor, x, x_stride, y, y_stride);
    }
    for (int64_t d = 0; d < width && n < y_stride; d++) {
        memset(y + d * y_stride + n, 0, (size_t)(y_stride - n) * sizeof *y);
    }
}
