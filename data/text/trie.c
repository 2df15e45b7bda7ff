#include "data/text/private/trie.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *text;
    int32_t number;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* The sorted texts first .. end - 1 begin with the same `depth` bytes, which lead to a node. */
typedef struct range {
    int32_t first, end;
    uint32_t depth;
} range;

typedef struct builder {
    hl_trie *trie;
    entry *sorted;
    range *ranges; /* of each node */
    size_t n, nodes_capacity, labels_capacity, ranges_capacity;
} builder;

static hl_status add_node(builder *b, range texts, char label)
{
    HL_NEED(HL_GROW(b->trie->nodes, b->nodes_capacity, b->n + 2) &&
                HL_GROW(b->trie->labels, b->labels_capacity, b->n + 1) &&
                HL_GROW(b->ranges, b->ranges_capacity, b->n + 1),
            "pieces");
    b->trie->labels[b->n] = (unsigned char)label;
    b->ranges[b->n++] = texts;
    return hl_ok();
}

/* Adds the nodes level by level, so that the children of the nodes follow each other as the nodes do. */
static hl_status add_nodes(builder *b, int32_t n)
{
    HL_TRY(add_node(b, (range){ 0, n, 0 }, '\0'));
    for (size_t node = 0; node < b->n; node++) {
        const range texts = b->ranges[node];
        struct hl_trie_node made = { .children = (uint32_t)b->n, .text = -1 };
        for (int32_t i = texts.first, next; i < texts.end; i = next) {
            char byte = b->sorted[i].text[texts.depth];
            for (next = i + 1; next < texts.end && b->sorted[next].text[texts.depth] == byte; next++) {
            }
            if (byte == '\0') {
                made.text = b->sorted[i].number;
            } else {
                HL_TRY(add_node(b, (range){ i, next, texts.depth + 1 }, byte));
            }
        }
        b->trie->nodes[node] = made;
    }
    b->trie->nodes[b->n].children = (uint32_t)b->n;
    return hl_ok();
}

hl_status hl_trie_make(hl_trie *trie, const char *texts, int32_t n)
{
    builder b = { .trie = trie, .sorted = hl_calloc((size_t)n, sizeof *b.sorted) };
    HL_NEED(b.sorted != NULL, "pieces");
    for (int32_t i = 0; i < n; i++) {
        b.sorted[i] = (entry){ texts, i };
        texts += strlen(texts) + 1;
    }
    qsort(b.sorted, (size_t)n, sizeof *b.sorted, compare);
    hl_status status = add_nodes(&b, n);
    hl_free(b.sorted);
    hl_free(b.ranges);
    HL_TRY(status);
    for (uint32_t node = trie->nodes[0].children; node < trie->nodes[1].children; node++) {
        trie->roots[trie->labels[node]] = node;
    }
    return hl_ok();
}

void hl_trie_free(hl_trie *trie)
{
    hl_free(trie->nodes);
    hl_free(trie->labels);
    *trie = (hl_trie){ 0 };
}
