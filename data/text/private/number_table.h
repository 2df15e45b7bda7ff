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
    uint32_t *at; /* UINT32_MAX: free */
    size_t mask;  /* its size minus one */
} hl_number_table;

/* The hash of a number's thing; and whether it is the wanted thing. The compiler inlines functions that it knows. */
typedef uint64_t hl_number_hash(const void *things, uint32_t number);
typedef bool hl_number_is(const void *things, uint32_t number, const void *wanted);

/* The entry with the number of `wanted`, which has this hash, or the free entry where it belongs. */
static inline uint32_t *hl_number_table_find(const hl_number_table *table, uint64_t hash, hl_number_is *is,
                                             const void *things, const void *wanted)
{
    size_t i = (size_t)(hash ^ hash >> 32) & table->mask;
    while (table->at[i] != UINT32_MAX && !is(things, table->at[i], wanted)) {
        i = (i + 1) & table->mask;
    }
    return &table->at[i];
}

/* Makes the table at least twice as large as n + 1 numbers, with the numbers 0 .. n - 1 in it; n stays below
 * UINT32_MAX. When out of memory, returns false and changes nothing. */
static inline bool hl_number_table_grow(hl_number_table *table, size_t n, hl_number_hash *hash_of, const void *things)
{
    enum { FEWEST = 1024 };
    if (table->at != NULL && 2 * n <= table->mask) {
        return true;
    }
    size_t size = FEWEST;
    while (size <= 2 * n) {
        size *= 2;
    }
    uint32_t *at = hl_malloc(size * sizeof *at);
    if (at == NULL) {
        return false;
    }
    memset(at, 0xFF, size * sizeof *at);
    hl_free(table->at);
    *table = (hl_number_table){ at, size - 1 };
    for (uint32_t number = 0; number < n; number++) {
        uint64_t hash = hash_of(things, number);
        size_t i = (size_t)(hash ^ hash >> 32) & table->mask;
        while (at[i] != UINT32_MAX) {
            i = (i + 1) & table->mask;
        }
        at[i] = number;
    }
    return true;
}
