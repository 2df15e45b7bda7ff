/* How the rows of a linear map are cut, and how its products are computed. For core/kernels/linear_*.c. Also,
 * core/ops/linear.c reads n_blocks, O and HL_LINEAR_BLOCK, to know how many bits it saves for each block. */
#pragma once

#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_LINEAR_BLOCK = 64 /* rows: a block of y or dp is still in a core's cache when it is read next */ };

/* How dW (O, I) is summed over N rows: as one partial sum per group of blocks, tile by tile over all rows
 * (hl_weight_grad), or by hl_matmul_rows_into. */
typedef enum hl_linear_sum { HL_LINEAR_PARTIALS, HL_LINEAR_TILES, HL_LINEAR_WHOLE } hl_linear_sum;

typedef struct hl_linear_rows {
    int64_t N, O, I;
    int64_t n_blocks;
    int n_groups;   /* groups of blocks; one thread works on each */
    bool generated; /* kernels work on blocks of rows; otherwise OpenBLAS works on all rows at once */
    bool bf16;      /* the kernels multiply in bf16 */
    hl_linear_sum sum;
} hl_linear_rows;
