#include "core/small_matmul.h"

#include "core/matmul.h"
#include "core/memory.h"

#if defined(HL_LIBXSMM) && !defined(HL_DOUBLE)
#include <libxsmm.h>

const char *hl_small_matmul_libxsmm(void)
{
    return LIBXSMM_CONFIG_VERSION;
}

hl_status hl_small_matmul_prepare(void)
{
    libxsmm_registry_info info;
    libxsmm_init();
    bool ready = libxsmm_get_registry_info(&info) == 0 && hl_memory_has(HL_MEMORY_RESERVE);
    return ready ? hl_ok() : hl_error_memory("the code of matrix products (LIBXSMM)");
}

/* LIBXSMM's matrices are column-major: its product of B^T and A^T is C^T, which is C row-major. */
static void (*generate(const hl_small_matmul *s))(void)
{
    const libxsmm_blasint a_stride = (libxsmm_blasint)s->a_stride, b_stride = (libxsmm_blasint)s->b_stride;
    const libxsmm_blasint c_stride = (libxsmm_blasint)s->c_stride;
    const float alpha = 1, beta = s->add;
    const int flags = s->transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    return (void (*)(void))libxsmm_smmdispatch((libxsmm_blasint)s->N, (libxsmm_blasint)s->M, (libxsmm_blasint)s->K,
                                               &b_stride, &a_stride, &c_stride, &alpha, &beta, &flags, NULL);
}

static void run_generated(void (*generated)(void), const hl_real *A, const hl_real *B, hl_real *C)
{
    ((libxsmm_smmfunction)generated)(B, A, C);
}
#else
const char *hl_small_matmul_libxsmm(void)
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

static void run_generated(void (*generated)(void), const hl_real *A, const hl_real *B, hl_real *C)
{
    (void)generated, (void)A, (void)B, (void)C;
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

void hl_small_kernel_run(const hl_small_kernel *kernel, const hl_real *A, const hl_real *B, hl_real *C)
{
    if (kernel->generated != NULL) {
        run_generated(kernel->generated, A, B, C);
        return;
    }
    const hl_small_matmul *s = &kernel->shape;
    hl_matmul_serial(s->M, s->N, s->K, (hl_matrix){ A, s->a_stride, s->transposed },
                     (hl_matrix){ B, s->b_stride, false }, s->add, C, s->c_stride);
}

void hl_small_matmul_run(hl_small_matmul shape, const hl_real *A, const hl_real *B, hl_real *C)
{
    hl_small_kernel kernel = hl_small_matmul_kernel(shape);
    hl_small_kernel_run(&kernel, A, B, C);
}

void hl_transpose(int64_t n, int64_t width, hl_real factor, const hl_real *x, int64_t stride, hl_real *y)
{
    for (int64_t d = 0; d < width; d++) {
        for (int64_t i = 0; i < n; i++) {
            y[d * n + i] = factor * x[i * stride + d];
        }
    }
}
