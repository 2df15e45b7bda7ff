/* The smaller of two counts. */
#pragma once

#include <stdint.h>

static inline int64_t hl_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
