/* How the products of a linear map are cut into blocks of rows; used by op_linear.c alone.
 *
 * Where kernels are generated (LIBXSMM), they work on blocks of 64 rows (linear_panels.h): a block stays in the cache
 * for what is done with it next, and no cut depends on the number of threads. Otherwise OpenBLAS computes all rows at
 * once (matmul.h). */
#ifndef HL_CORE_PRIVATE_LINEAR_ROWS_H
#define HL_CORE_PRIVATE_LINEAR_ROWS_H

#include "core/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_LINEAR_BLOCK = 64, HL_LINEAR_MAX_PARTIALS = 16 };

/* How dW (O, I) is summed over N rows: in a partial sum for each group of blocks, tile by tile over all rows
 * (hl_weight_grad), or by hl_matmul_rows_into. */
typedef enum hl_linear_sum { HL_LINEAR_PARTIALS, HL_LINEAR_TILES, HL_LINEAR_WHOLE } hl_linear_sum;

typedef struct hl_linear_rows {
    int64_t N, O, I;
    int64_t n_blocks;
    int n_groups;   /* of blocks, each worked by one thread; at most HL_LINEAR_MAX_PARTIALS with HL_LINEAR_PARTIALS */
    bool generated; /* kernels */
    bool bf16;      /* so they are */
    hl_linear_sum sum;
} hl_linear_rows;

/* The cuts for x (N, I) and W (O, I); a function of the arguments (and the build) alone. */
hl_linear_rows hl_linear_rows_of(int64_t N, int64_t O, int64_t I, bool bf16);

/* The rows of block number `block`: HL_LINEAR_BLOCK, or what is left. */
int64_t hl_linear_block_rows(const hl_linear_rows *rows, int64_t block);

/* Generates the code for any number of rows. */
void hl_linear_rows_prepare(const hl_linear_rows *rows);

/* y = b in each row; nothing where b is NULL. */
void hl_linear_begin_at_bias(int threads, const hl_linear_rows *rows, const hl_real *b, hl_real *y);

/* For n <= HL_LINEAR_BLOCK rows dp (n, O) and x (n, I):
 * db (O) += the column sums of dp;  dW (O, I) = (or, `add`, +=) dp^T x, with HL_LINEAR_PARTIALS. */
void hl_linear_rows_db(const hl_linear_rows *rows, int64_t n, const hl_real *dp, hl_real *db);
void hl_linear_rows_dW(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *x, bool add,
                       hl_real *dW);

#endif
