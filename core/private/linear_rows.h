/* How the products of a linear map are cut into blocks of rows; used by op_linear.c alone.
 *
 * Where the weights fit in a core's second-level cache, its products run as generated kernels (small_matmul.h) over
 * blocks of 64 rows: nothing is packed, a block stays in the cache for what is done with it next, and no cut depends on
 * the number of threads. Otherwise OpenBLAS computes all rows at once (matmul.h). In bf16 (bf16_rows.h) generated
 * kernels serve every size. */
#ifndef HL_CORE_PRIVATE_LINEAR_ROWS_H
#define HL_CORE_PRIVATE_LINEAR_ROWS_H

#include "core/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_LINEAR_BLOCK = 64, HL_LINEAR_MAX_PARTIALS = 16, HL_LINEAR_TILE = 64 };

/* How dW (O, I) is summed over N rows: in a partial sum for each group of blocks, tile by tile over all rows, by
 * hl_matmul_rows_into, or by hl_bf16_dW. */
typedef enum hl_linear_sum { HL_LINEAR_PARTIALS, HL_LINEAR_TILES, HL_LINEAR_WHOLE, HL_LINEAR_BF16 } hl_linear_sum;

typedef struct hl_linear_rows {
    int64_t N, O, I;
    int64_t n_blocks;
    int n_groups; /* of blocks, each worked by one thread; at most HL_LINEAR_MAX_PARTIALS with HL_LINEAR_PARTIALS */
    bool generated, bf16;
    hl_linear_sum sum;
} hl_linear_rows;

/* The cuts for x (N, I) and W (O, I); a function of the arguments (and the build) alone. */
hl_linear_rows hl_linear_rows_of(int64_t N, int64_t O, int64_t I, bool bf16);

/* The rows of block number `block`: HL_LINEAR_BLOCK, or what is left. */
int64_t hl_linear_block_rows(const hl_linear_rows *rows, int64_t block);

/* Generates the code for any number of rows. */
void hl_linear_rows_prepare(const hl_linear_rows *rows);

/* T (I, O) = W^T for W (O, I): the form that the generated kernels take, in bf16 packed; and how many numbers of memory
 * it takes. */
void hl_linear_transpose(int threads, const hl_linear_rows *rows, const hl_real *W, hl_real *T);
int64_t hl_linear_transposed_numbers(const hl_linear_rows *rows);

/* y = b in each of n rows; nothing where b is NULL. */
void hl_linear_begin_at_bias(int threads, const hl_linear_rows *rows, const hl_real *b, int64_t n, hl_real *y);

/* y = (or, `add`, +=) x T for the n rows from `first` on, n <= HL_LINEAR_BLOCK; x (N, I), T (I, O), y (N, O). `block`:
 * hl_bf16_block_numbers of memory, in bf16. */
void hl_linear_rows_forward(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *x, const hl_real *T,
                            bool add, hl_real *y, hl_real *block);

/* For n <= HL_LINEAR_BLOCK rows dp (n, O) and x (n, I):
 * dx (n, I) = (or +=) dp W, in bf16 with W and `block` as of hl_bf16_dx;  db (O) += the column sums of dp;
 * dW (O, I) = (or +=) dp^T x. */
void hl_linear_rows_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *W, bool add,
                       hl_real *dx, hl_real *block);
void hl_linear_rows_db(const hl_linear_rows *rows, int64_t n, const hl_real *dp, hl_real *db);
void hl_linear_rows_dW(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *x, bool add,
                       hl_real *dW);

/* dW (O, I) = (or +=) dp^T x over all rows, a tile of dW after the other. */
void hl_linear_tiles_dW(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, bool add,
                        hl_real *dW);

/* The rows from `begin` to `end` - 1 of dW, cut at multiples of HL_LINEAR_TILE, to `part` (end - begin, I). */
void hl_linear_tiles_dW_rows(const hl_linear_rows *rows, int64_t begin, int64_t end, const hl_real *dp,
                             const hl_real *x, hl_real *part);

#endif
