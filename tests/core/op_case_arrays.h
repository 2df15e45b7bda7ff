/* The arrays that op cases point to: ids, targets, lengths, biases, given weights. */
#pragma once

#include "core/base/real.h"

#include <stdint.h>

extern const int32_t op_case_ids[6];      /* below 7, one of them twice */
extern const int32_t op_case_some_ids[5]; /* some of them -1 */
extern const int32_t op_case_zeros[3];
/* Offsets of sequences, named by their rows. */
extern const int32_t op_case_offsets_1[2], op_case_offsets_5[3], op_case_offsets_6[4], op_case_offsets_7[3],
    op_case_offsets_9[4], op_case_offsets_20[4], op_case_offsets_90[4];
extern const int32_t op_case_rows_9[3]; /* of op_case_offsets_9: two of the first sequence, one of the last */
extern const int32_t op_case_types[6];
extern const int32_t op_case_offsets_178[7]; /* of 1, 15, 16, 17, 64 and 65 rows */
extern const hl_real op_case_bias[48]; /* up to (2, 2, 3, 4), with forbidden keys and in its first and third matrix
                                          a row whose every key is forbidden */
extern const hl_real *const op_case_replace[2]; /* (H = 2): head 0 its own; head 1 given (B = 2, Tq = 3, Tk = 4), two
                                                   rows of which stay the head's own */

/* 4096 ids below `bound`; the same array is filled anew at each call. */
const int32_t *op_case_many(int32_t bound);
