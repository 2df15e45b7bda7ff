/* A heap: its first entry is always at hand. */
#pragma once

#include "data/text/private/grow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hl_heap_entry {
    int64_t key; /* the entry with the smallest key is first */
    uint32_t number;
} hl_heap_entry;

/* Begins zeroed; at[0] is the first entry. The caller owns `at`: hl_free. */
typedef struct hl_heap {
    hl_heap_entry *at;
    size_t n, capacity;
} hl_heap;

/* Whether number a comes before number b if their keys are equal. The compiler inlines a function that it knows. */
typedef bool hl_heap_order(const void *context, uint32_t a, uint32_t b);

static inline bool hl_heap_before(hl_heap_entry a, hl_heap_entry b, hl_heap_order *order, const void *context)
{
    return a.key != b.key ? a.key < b.key : order(context, a.number, b.number);
}

/* Adds an entry. When out of memory, returns false and changes nothing. */
static inline bool hl_heap_push(hl_heap *heap, hl_heap_entry entry, hl_heap_order *order, const void *context)
{
    if (!hl_grow((void **)&heap->at, &heap->capacity, heap->n + 1, sizeof *heap->at)) {
        return false;
    }
    size_t at = heap->n++;
    for (; at > 0 && hl_heap_before(entry, heap->at[(at - 1) / 2], order, context); at = (at - 1) / 2) {
        heap->at[at] = heap->at[(at - 1) / 2];
    }
    heap->at[at] = entry;
    return true;
}

/* Removes the first entry from a heap that has one, and returns it. */
static inline hl_heap_entry hl_heap_pop(hl_heap *heap, hl_heap_order *order, const void *context)
{
    hl_heap_entry first = heap->at[0], last = heap->at[--heap->n];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->n; at = child) {
        child += child + 1 < heap->n && hl_heap_before(heap->at[child + 1], heap->at[child], order, context);
        if (!hl_heap_before(heap->at[child], last, order, context)) {
            break;
        }
        heap->at[at] = heap->at[child];
    }
    heap->at[at] = last;
    return first;
}
