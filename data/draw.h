/* The sequence of random numbers from which one example is made. */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/random.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_draw {
    hl_random random;
    uint64_t position; /* position of the next number; starts at 0 */
} hl_draw;

/* The next number, uniform in [0, bound); bound in 1 .. 2^31. */
static inline int32_t hl_draw_below(hl_draw *draw, int64_t bound)
{
    return (int32_t)hl_random_below(draw->random, draw->position++, (uint32_t)bound);
}

/* The next n numbers, in the same way. */
static inline void hl_draw_each_below(hl_draw *draw, int64_t bound, int64_t n, int32_t *numbers)
{
    hl_random_below_each(draw->random, draw->position, (uint32_t)bound, n, numbers);
    draw->position += (uint64_t)n;
}

HL_END_DECLS
