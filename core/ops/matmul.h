/* C = A B for each pair of matrices in two batches: A (..., M, K), B (..., K, N), C (..., M, N), with equal leading
 * dimensions. A transposed factor is passed as (..., K, M) or (..., N, K). dA = dC B^T and dB = A^T dC, each transposed
 * like its factor. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns C. Sticky error: shapes that do not fit together. */
hl_tensor *hl_matmul(hl_tape *tape, hl_tensor *A, hl_tensor *B, bool transpose_A, bool transpose_B);

HL_END_DECLS
