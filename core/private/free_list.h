/* The free blocks of an arena: memory that nothing needs any more and that serves again while it is in the caches.
 *
 * The list holds addresses only and never touches what they point to, so core/tape_plan.c keeps one of memory that does
 * not exist. The caller provides a record with every block it gives. */
#ifndef HL_CORE_PRIVATE_FREE_LIST_H
#define HL_CORE_PRIVATE_FREE_LIST_H

#include <stddef.h>
#include <stdint.h>

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

#endif
