/* The smaller of two counts. */
#ifndef HL_CORE_BASE_PRIVATE_LEAST_H
#define HL_CORE_BASE_PRIVATE_LEAST_H

#include <stdint.h>

static inline int64_t hl_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
