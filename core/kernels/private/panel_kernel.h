/* The product of a few rows and one panel (panel_pack.h), by a kernel that is generated for its shape (LIBXSMM), in
 * float or bf16 (core/kernels/bf16.h); used by panel_product.c alone. */
#ifndef HL_CORE_KERNELS_PRIVATE_PANEL_KERNEL_H
#define HL_CORE_KERNELS_PRIVATE_PANEL_KERNEL_H

#include "core/kernels/small_matmul.h"

#include <stdbool.h>
#include <stdint.h>

/* C (n, m) = (or, `add`, +=) A (n, k) B (k, m), B in a panel, or in float in any rows; C, always float, is row-major. A
 * is row-major, or with `transposed`, in float alone, given as (k, n). In bf16 k is even. */
typedef struct hl_panel_shape {
    int64_t n, k, m;
    int64_t a_stride, b_stride, c_stride;
    bool transposed, add, bf16;
} hl_panel_shape;

/* A shape and the code for it, in float or bf16. */
typedef struct hl_panel_kernel {
    hl_panel_shape shape;
    hl_small_kernel in_float;
    void (*in_bf16)(void); /* LIBXSMM's function; NULL where it declines the shape, which plain C then multiplies */
} hl_panel_kernel;

/* Finds or generates the code. Cannot fail. */
hl_panel_kernel hl_panel_kernel_of(hl_panel_shape shape);

/* Computes one product of float or bf16 numbers; C overlaps neither factor. */
void hl_panel_kernel_run(const hl_panel_kernel *kernel, const void *A, const void *B, hl_real *C);

#endif
