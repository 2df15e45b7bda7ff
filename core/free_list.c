#include "core/private/free_list.h"

uintptr_t hl_free_list_take(hl_free_list *list, size_t size)
{
    hl_free_block **best = NULL;
    for (hl_free_block **at = &list->first; *at != NULL; at = &(*at)->next) {
        if ((*at)->size >= size && (best == NULL || (*at)->size < (*best)->size)) {
            best = at;
        }
    }
    if (best == NULL) {
        return 0;
    }
    hl_free_block *block = *best;
    uintptr_t begin = block->begin;
    block->begin += size;
    block->size -= size;
    if (block->size == 0) {
        *best = block->next;
    }
    return begin;
}

/* Joins a block with the next one where they touch. */
static void join(hl_free_block *block)
{
    hl_free_block *next = block->next;
    if (next != NULL && block->begin + block->size == next->begin) {
        block->size += next->size;
        block->next = next->next;
    }
}

void hl_free_list_give(hl_free_list *list, hl_free_block *block, uintptr_t begin, size_t size)
{
    if (size == 0) {
        return;
    }
    hl_free_block *before = NULL, **at = &list->first;
    while (*at != NULL && (*at)->begin < begin) {
        before = *at;
        at = &before->next;
    }
    *block = (hl_free_block){ .next = *at, .begin = begin, .size = size };
    *at = block;
    join(block);
    if (before != NULL) {
        join(before);
    }
}
