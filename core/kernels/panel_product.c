#include "core/kernels/private/panel_product.h"

#include "core/base/private/least.h"
#include "core/kernels/private/panel_pack.h"
#include "core/kernels/small_matmul.h"

#include <stddef.h>
#include <string.h>

enum { A_VECTOR = 16 };

static const void *at(bool bf16, const void *numbers, int64_t i)
{
    return (const char *)numbers + i * (bf16 ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(hl_real));
}

bool hl_panel_leaves_little(int64_t M)
{
    return M % HL_PANEL > 0 && M % HL_PANEL <= A_VECTOR;
}

int64_t hl_panel_halved(int64_t most, int64_t left)
{
    while (most > left) {
        most /= 2;
    }
    return most;
}

static int64_t piece_of(const hl_panel_product *p, int64_t left)
{
    return p->halves ? hl_panel_halved(p->depth, left) : hl_least(p->depth, left);
}

int64_t hl_panel_wide_columns(const hl_panel_product *p)
{
    int64_t wide = p->M / HL_PANEL * HL_PANEL;
    return p->panel == HL_PANEL && wide > 0 && hl_panel_leaves_little(p->M) ? wide - HL_PANEL : wide;
}

static hl_small_matmul shape_of(const hl_panel_product *p, int64_t n, int64_t k, int64_t m, bool add)
{
    return (hl_small_matmul){ .M = n,
                              .N = m,
                              .K = k,
                              .a_stride = p->a_stride,
                              .b_stride = p->b_stride,
                              .c_stride = p->c_stride,
                              .transposed = p->transposed,
                              .add = add,
                              .bf16 = p->bf16 };
}

/* Multiplies one piece of K for n rows and the m columns from `first` on. */
static void multiply_panel(const hl_panel_product *p, const hl_small_kernel *kernel, int64_t n, int64_t m,
                           int64_t first, const hl_real *start, const void *A, const void *B, hl_real *C)
{
    for (int64_t i = 0; i < n && start != NULL; i++) {
        memcpy(C + i * p->c_stride + first, start + first, (size_t)m * sizeof *C);
    }
    hl_small_kernel_run(kernel, A, at(p->bf16, B, first / HL_PANEL * p->panel), C + first);
}

static void multiply_piece(const hl_panel_product *p, int64_t n, int64_t k, bool add, const hl_real *start,
                           const void *A, const void *B, hl_real *C)
{
    int64_t wide = hl_panel_wide_columns(p);
    if (wide > 0) {
        hl_small_kernel kernel = hl_small_matmul_kernel(shape_of(p, n, k, HL_PANEL, add));
        for (int64_t m = 0; m < wide; m += HL_PANEL) {
            multiply_panel(p, &kernel, n, HL_PANEL, m, start, A, B, C);
        }
    }
    if (wide < p->M) {
        hl_small_kernel kernel = hl_small_matmul_kernel(shape_of(p, n, k, p->M - wide, add));
        multiply_panel(p, &kernel, n, p->M - wide, wide, start, A, B, C);
    }
}

void hl_panel_multiply(const hl_panel_product *p, const void *A, const void *B, hl_real *C)
{
    int64_t down = p->transposed ? 1 : p->a_stride, across = p->transposed ? p->a_stride : 1;
    for (int64_t i = 0, n; i < p->n; i += n) {
        n = hl_panel_halved(HL_PANEL_ROWS, p->n - i);
        for (int64_t k = 0, piece; k < p->K; k += piece) {
            piece = piece_of(p, p->K - k);
            multiply_piece(p, n, piece, p->add || k > 0 || p->start != NULL, k > 0 ? NULL : p->start,
                           at(p->bf16, A, k / p->depth * p->chunk + k % p->depth * across + i * down),
                           at(p->bf16, B, k * p->b_stride), C + i * p->c_stride);
        }
    }
}

void hl_panel_prepare(const hl_panel_product *p)
{
    const int64_t left = p->K % p->depth, least_k = p->bf16 ? 2 : 1, wide = hl_panel_wide_columns(p);
    const int64_t widths[] = { hl_least(HL_PANEL, wide), p->M - wide };
    for (int64_t n = hl_panel_halved(HL_PANEL_ROWS, p->n); n > 0; n /= 2) {
        for (int64_t k = piece_of(p, p->K); k >= least_k; k = p->halves ? k / 2 : k == left ? 0 : left) {
            for (int i = 0; i < 4; i++) {
                if (widths[i % 2] > 0) {
                    hl_small_matmul_kernel(shape_of(p, n, k, widths[i % 2], i >= 2));
                }
            }
        }
    }
}
