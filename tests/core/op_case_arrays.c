#include "tests/core/op_case_arrays.h"

#include "core/kernels/random.h"

#include <math.h>
#include <stddef.h>

const int32_t op_case_ids[6] = { 3, 0, 6, 3, 1, 2 };
const int32_t op_case_some_ids[5] = { -1, 6, 0, -1, 2 };
const int32_t op_case_zeros[3] = { 0, 0, 0 };
const int32_t op_case_offsets_1[2] = { 0, 1 };
const int32_t op_case_offsets_5[3] = { 0, 3, 5 };
const int32_t op_case_offsets_6[4] = { 0, 2, 5, 6 };
const int32_t op_case_offsets_7[3] = { 0, 3, 7 };
const int32_t op_case_offsets_9[4] = { 0, 3, 7, 9 };
const int32_t op_case_rows_9[3] = { 0, 2, 8 };
const int32_t op_case_types[6] = { 0, 1, 1, 0, 1, 0 };
const int32_t op_case_offsets_20[4] = { 0, 2, 19, 20 };
const int32_t op_case_offsets_90[4] = { 0, 70, 73, 90 };
const int32_t op_case_offsets_178[7] = { 0, 1, 16, 32, 49, 113, 178 };

#define NEVER (hl_real) - INFINITY
/* clang-format off */
const hl_real op_case_bias[48] = {
    0.5f,  -1,    NEVER, 0.25f,   NEVER, NEVER, NEVER, NEVER,   0,     1,     -0.5f, NEVER,
    NEVER, 0.75f, 0.5f,  -0.25f,  0,     NEVER, 2,     1,       -1,    0.125f, NEVER, 0,
    0.25f, 0.5f,  1,     NEVER,   1,     NEVER, NEVER, 0.5f,    NEVER, NEVER, NEVER, NEVER,
    -2,    1,     0.5f,  0,       0.5f,  0.25f, NEVER, 1,       0,     -1,    1,     0.75f,
};

static const hl_real given[24] = {
    0.25f, 0.25f, 0.5f, 0,     -1, 0, 0, 0,     0, 0, 1, 0,
    0.1f,  0.2f,  0.3f, 0.4f,  1,  0, 0, 0,     -1, 0, 0, 0,
};
/* clang-format on */
const hl_real *const op_case_replace[2] = { NULL, given };

const int32_t *op_case_many(int32_t bound)
{
    enum { MANY = 4096 };
    static int32_t ids[MANY];
    for (int i = 0; i < MANY; i++) {
        ids[i] = (int32_t)hl_random_below((hl_random){ .seed = 3, .stream = 4 }, (uint64_t)i, (uint32_t)bound);
    }
    return ids;
}
