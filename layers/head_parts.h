/* Where the numbers of one head lie among the parameters of its layer. */
#pragma once

#include "core/base/declarations.h"
#include "layers/multi_head.h"

HL_BEGIN_DECLS

enum { HL_PART_Q, HL_PART_K, HL_PART_V, HL_PART_O, HL_PART_Q_BIAS, HL_PART_K_BIAS, HL_PART_V_BIAS, HL_HEAD_PARTS };

/* A block of a parameter: `n_rows` rows from `first_row` on, and of these `n_columns` columns from `first_column` on.
 * In a bias, each number is a row of one column. */
typedef struct hl_head_part {
    hl_tensor *x;
    int64_t first_row, n_rows, first_column, n_columns;
} hl_head_part;

/* Lists the parts of a head: rows of W_Q (Dk), W_K (Dk) and W_V (Dv), columns of W_O (Dv) and, if the layer has biases,
 * its numbers in those of q, k and v. Returns how many: HL_HEAD_PARTS, or 4 without biases. If heads share keys and
 * values, the parts for K and V are those of the head's group. */
int hl_head_parts(const hl_multi_head *layer, int64_t head, hl_head_part parts[HL_HEAD_PARTS]);

/* The number at that row and column of the part, as an index into x. */
static inline int64_t hl_head_part_at(const hl_head_part *part, int64_t row, int64_t column)
{
    int64_t width = part->x->shape.n_dims > 1 ? part->x->shape.size[1] : 1;
    return (part->first_row + row) * width + part->first_column + column;
}

HL_END_DECLS
