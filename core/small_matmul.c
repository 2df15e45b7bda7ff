#include "core/small_matmul.h"

#include "core/matmul.h"

#if defined(HL_LIBXSMM) && !defined(HL_DOUBLE)
#include <libxsmm.h>

/* LIBXSMM's matrices are column-major: its product of B^T and A^T is C^T, which is C row-major. */
static bool run_generated(const hl_small_matmul *s, const hl_real *A, const hl_real *B, hl_real *C)
{
    const libxsmm_blasint a_stride = (libxsmm_blasint)s->a_stride, b_stride = (libxsmm_blasint)s->b_stride;
    const libxsmm_blasint c_stride = (libxsmm_blasint)s->c_stride;
    const float alpha = 1, beta = s->add;
    const int flags = s->transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    libxsmm_smmfunction kernel =
        libxsmm_smmdispatch((libxsmm_blasint)s->N, (libxsmm_blasint)s->M, (libxsmm_blasint)s->K, &b_stride, &a_stride,
                            &c_stride, &alpha, &beta, &flags, NULL);
    if (kernel != NULL) {
        kernel(B, A, C);
    }
    return kernel != NULL;
}
#else
static bool run_generated(const hl_small_matmul *s, const hl_real *A, const hl_real *B, hl_real *C)
{
    (void)s, (void)A, (void)B, (void)C;
    return false;
}
#endif

void hl_small_matmul_run(hl_small_matmul s, const hl_real *A, const hl_real *B, hl_real *C)
{
    if (s.M > 0 && s.N > 0 && s.K > 0 && run_generated(&s, A, B, C)) {
        return;
    }
    hl_matmul_serial(s.M, s.N, s.K, (hl_matrix){ A, s.a_stride, s.transposed }, (hl_matrix){ B, s.b_stride, false },
                     s.add, C, s.c_stride);
}
