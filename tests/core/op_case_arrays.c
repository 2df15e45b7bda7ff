#include "tests/core/op_case_arrays.h"

#include "core/examples.h"
#include "core/random.h"

#include <math.h>
#include <stddef.h>

const int32_t op_case_ids[6] = { 3, 0, 6, 3, 1, 2 };
const int32_t op_case_zeros[3] = { 0, 0, 0 };
const int32_t op_case_some_ignored[6] = { 4, HL_IGNORE, 0, 2, HL_IGNORE, 2 };
const int32_t op_case_all_ignored[3] = { HL_IGNORE, HL_IGNORE, HL_IGNORE };
const int32_t op_case_lengths_of_3[3] = { 2, 3, 0 };
const int32_t op_case_lengths_of_4[3] = { 3, 4, 2 };
const int32_t op_case_lengths_of_29[7] = { 29, 1, 13, 28, 17, 0, 5 };
const int32_t op_case_lengths_of_70[2] = { 70, 66 };

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
