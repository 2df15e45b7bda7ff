/* The arrays that op cases point to: ids, targets, lengths, biases, given weights. */
#ifndef HL_TESTS_CORE_OP_CASE_ARRAYS_H
#define HL_TESTS_CORE_OP_CASE_ARRAYS_H

#include "core/real.h"

#include <stdint.h>

extern const int32_t op_case_ids[6]; /* below 7, one of them twice */
extern const int32_t op_case_zeros[3];
extern const int32_t op_case_some_ignored[6]; /* below 5 */
extern const int32_t op_case_all_ignored[3];
extern const int32_t op_case_lengths_of_3[3]; /* lengths of at most that many tokens; one of them is 0 */
extern const int32_t op_case_lengths_of_4[3];
extern const int32_t op_case_lengths_of_29[7];
extern const int32_t op_case_lengths_of_70[2];
extern const hl_real op_case_bias[48]; /* up to (2, 2, 3, 4), with forbidden keys and in its first and third matrix
                                          a row whose every key is forbidden */
extern const hl_real *const op_case_replace[2]; /* (H = 2): head 0 its own; head 1 given (B = 2, Tq = 3, Tk = 4), two
                                                   rows of which stay the head's own */

/* 4096 ids below `bound`, or HL_IGNORE never; the same array is filled anew at each call. */
const int32_t *op_case_many(int32_t bound);

#endif
