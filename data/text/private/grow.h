/* Arrays that grow. */
#pragma once

#include "core/base/memory.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `needed` elements of `size` bytes in *block, which has room for *capacity elements; at least doubles
 * the room. When out of memory, returns false and changes nothing. */
static inline bool hl_grow(void **block, size_t *capacity, size_t needed, size_t size)
{
    enum { FEWEST = 16 };
    if (needed <= *capacity) {
        return true;
    }
    size_t more = needed > 2 * *capacity ? needed : 2 * *capacity;
    more = more < FEWEST ? FEWEST : more;
    void *grown = hl_realloc(*block, more, size);
    if (grown == NULL) {
        return false;
    }
    *block = grown;
    *capacity = more;
    return true;
}

/* The same for a list, `list`, of elements of any type. */
#define HL_GROW(list, capacity, needed) hl_grow((void **)&(list), &(capacity), needed, sizeof *(list))

/* Releases unused room and keeps the room for `n` elements, at least one. Otherwise as above. */
static inline bool hl_fit(void **block, size_t *capacity, size_t n, size_t size)
{
    void *fitted = hl_realloc(*block, n, size);
    if (fitted == NULL) {
        return false;
    }
    *block = fitted;
    *capacity = n;
    return true;
}
#define HL_FIT(list, capacity, n) hl_fit((void **)&(list), &(capacity), n, sizeof *(list))
