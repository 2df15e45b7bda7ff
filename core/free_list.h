/* The free blocks of an arena: memory that a backward pass has given back and uses again while it is in the caches.
 *
 * The list holds addresses only and never touches what they point to, so a dry tape (core/tape.h) keeps the same list
 * of memory that does not exist. The caller provides a record with every block it gives. */
#ifndef HL_CORE_FREE_LIST_H
#define HL_CORE_FREE_LIST_H

#include "core/declarations.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_free_block {
    struct hl_free_block *next; /* at a higher address */
    uintptr_t begin;
    size_t size; /* bytes */
} hl_free_block;

/* Starts zeroed. */
typedef struct hl_free_list {
    hl_free_block *first; /* by address */
} hl_free_list;

/* Takes `size` bytes from the smallest block that holds them, the first of equals. Their address; 0: no block does. */
uintptr_t hl_free_list_take(hl_free_list *list, size_t size);

/* Adds `size` bytes at address `begin` to the list, joined with neighbours. The list keeps `block` as their record. No
 * byte may be given twice. */
void hl_free_list_give(hl_free_list *list, hl_free_block *block, uintptr_t begin, size_t size);

HL_END_DECLS

#endif
