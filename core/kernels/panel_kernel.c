#include "core/kernels/private/panel_kernel.h"

#include "core/kernels/bf16.h"
#include "core/kernels/private/panel_pack.h"

#include <stddef.h>
#include <string.h>

#if defined(HL_LIBXSMM) && !defined(HL_DOUBLE)
#include <libxsmm.h>

/* LIBXSMM's matrices are column-major, and its first factor is the packed one. */
static void (*generate_bf16(hl_panel_shape s))(void)
{
    const libxsmm_blasint lda = (libxsmm_blasint)s.b_stride, ldb = (libxsmm_blasint)s.a_stride,
                          ldc = (libxsmm_blasint)s.c_stride;
    const float alpha = 1, beta = s.add;
    const int flags = LIBXSMM_GEMM_FLAG_VNNI_A;
    return (void (*)(void))libxsmm_bsmmdispatch((libxsmm_blasint)s.m, (libxsmm_blasint)s.n, (libxsmm_blasint)s.k, &lda,
                                                &ldb, &ldc, &alpha, &beta, &flags, NULL);
}

static void run_bf16(void (*generated)(void), const void *A, const void *B, float *C)
{
    ((libxsmm_bsmmfunction)generated)(B, A, C);
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
static void (*generate_bf16(hl_panel_shape s))(void)
{
    (void)s;
    return NULL;
}

static void run_bf16(void (*generated)(void), const void *A, const void *B, hl_real *C)
{
    (void)generated, (void)A, (void)B, (void)C;
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

static hl_real number_of(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Where LIBXSMM declines a shape, as without memory for its code. */
static void multiply_bf16(const hl_panel_shape *s, const uint16_t *A, const uint16_t *B, hl_real *C)
{
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < s->m; j++) {
            hl_real sum = s->add ? C[i * s->c_stride + j] : 0;
            for (int64_t k = 0; k < s->k; k++) {
                uint16_t b = B[(k / 2 * s->b_stride + j) * 2 + k % 2];
                sum += number_of(A[i * s->a_stride + k]) * number_of(b);
            }
            C[i * s->c_stride + j] = sum;
        }
    }
}

hl_panel_kernel hl_panel_kernel_of(hl_panel_shape s)
{
    if (s.bf16) {
        return (hl_panel_kernel){ .shape = s, .in_bf16 = generate_bf16(s) };
    }
    return (hl_panel_kernel){ .shape = s,
                              .in_float = hl_small_matmul_kernel((hl_small_matmul){ .M = s.n,
                                                                                    .N = s.m,
                                                                                    .K = s.k,
                                                                                    .a_stride = s.a_stride,
                                                                                    .b_stride = s.b_stride,
                                                                                    .c_stride = s.c_stride,
                                                                                    .transposed = s.transposed,
                                                                                    .add = s.add }) };
}

void hl_panel_kernel_run(const hl_panel_kernel *kernel, const void *A, const void *B, hl_real *C)
{
    if (!kernel->shape.bf16) {
        hl_small_kernel_run(&kernel->in_float, A, B, C);
    } else if (kernel->in_bf16 != NULL) {
        run_bf16(kernel->in_bf16, A, B, C);
    } else {
        multiply_bf16(&kernel->shape, A, B, C);
    }
}
