/* Memory that a backward pass has given back and takes again while it is warm in the caches.
 *
 * The list holds addresses only and never touches what they point to, so a dry tape keeps the same list of a memory
 * that does not exist. Its records are the caller's: a block given brings its own. */
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

/* The begin of `size` bytes of the smallest block that holds them, the first of equals; 0 where none does. */
uintptr_t hl_free_list_take(hl_free_list *list, size_t size);

/* Gives `size` bytes from `begin` on to the list, joined with neighbours. `block` is the list's from now on. No byte
 * may be given twice. */
void hl_free_list_give(hl_free_list *list, hl_free_block *block, uintptr_t begin, size_t size);

HL_END_DECLS

#endif
