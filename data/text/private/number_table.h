/* A hash table of numbers. It finds things, numbered from 0 on, by their content. The caller owns the things, and
 * states the hash of each and which number a thing has. */
#pragma once

#include "core/base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Begins zeroed. The caller owns `at`: hl_free. */
typedef struct hl_number_table {
    struct hl_hashed {
        uint32_t hash, number; /* UINT32_MAX: free */
    } * at;
    size_t mask; /* its size minus one */
} hl_number_table;

/* Whether the number's thing is the wanted one. The compiler inlines a function that it knows. */
typedef bool hl_number_is(const void *things, uint32_t number, const void *wanted);

/* The number of `wanted`, which has this hash; UINT32_MAX if there is none. */
static inline uint32_t hl_number_table_find(const hl_number_table *table, uint64_t hash, hl_number_is *is,
                                            const void *things, const void *wanted)
{
    const uint32_t folded = (uint32_t)(hash ^ hash >> 32);
    for (size_t i = folded & table->mask; table->at != NULL; i = (i + 1) & table->mask) {
        struct hl_hashed entry = table->at[i];
        if (entry.number == UINT32_MAX || (entry.hash == folded && is(things, entry.number, wanted))) {
            return entry.number;
        }
    }
    return UINT32_MAX;
}

static inline void hl_number_table_put(hl_number_table *table, struct hl_hashed entry)
{
    size_t i = entry.hash & table->mask;
    while (table->at[i].number != UINT32_MAX) {
        i = (i + 1) & table->mask;
    }
    table->at[i] = entry;
}

/* Adds the next number, which is below UINT32_MAX, of a thing with this hash. The table stays at least twice as large
 * as the numbers are many. When out of memory, returns false and changes nothing. */
static inline bool hl_number_table_add(hl_number_table *table, uint64_t hash, size_t number)
{
    enum { FEWEST = 1024 };
    const size_t size = table->at != NULL ? table->mask + 1 : 0;
    if (size < 2 * (number + 1)) {
        size_t more = size > 0 ? 2 * size : FEWEST;
        hl_number_table grown = { hl_malloc(more * sizeof *grown.at), more - 1 };
        if (grown.at == NULL) {
            return false;
        }
        memset(grown.at, 0xFF, more * sizeof *grown.at);
        for (size_t i = 0; i < size; i++) {
            if (table->at[i].number != UINT32_MAX) {
                hl_number_table_put(&grown, table->at[i]);
            }
        }
        hl_free(table->at);
        *table = grown;
    }
    hl_number_table_put(table, (struct hl_hashed){ (uint32_t)(hash ^ hash >> 32), (uint32_t)number });
    return true;
}
