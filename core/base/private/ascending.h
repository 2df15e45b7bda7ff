/* Searches in ascending numbers. */
#pragma once

#include <stdint.h>

/* The index of the first of n ascending numbers that is at least `value`; n if there is none. */
static inline int64_t hl_first_at_least(const int32_t *ascending, int64_t n, int32_t value)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (ascending[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
