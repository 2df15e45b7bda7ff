/* Finds texts byte by byte: each text is a way from the root of a tree of bytes. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

/* A zeroed trie cannot be searched. Owned by the caller: hl_trie_free. */
typedef struct hl_trie {
    struct hl_trie_node {
        uint32_t children; /* the first; the last comes before those of the next node */
        int32_t text;      /* the number of the text that ends here; -1: none does */
    } * nodes;             /* the root is the first */
    unsigned char *labels; /* of each node: the byte that leads to it */
    uint32_t roots[256];   /* the root's children by their bytes; 0: there is none */
} hl_trie;

/* Makes the trie of n texts, which lie end to end, each with a zero byte. None is empty. Of equal texts, the first is
 * found. HL_NO_MEMORY. */
hl_status hl_trie_make(hl_trie *trie, const char *texts, int32_t n);

void hl_trie_free(hl_trie *trie);

/* The child of the node (0: the root) to which the byte leads; 0 if there is none. */
static inline uint32_t hl_trie_child(const hl_trie *trie, uint32_t node, char byte)
{
    const unsigned char label = (unsigned char)byte;
    if (node == 0) {
        return trie->roots[label];
    }
    uint32_t first = trie->nodes[node].children, end = trie->nodes[node + 1].children;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (trie->labels[middle] == label) {
            return middle;
        }
        if (trie->labels[middle] < label) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return 0;
}
