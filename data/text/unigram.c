/* The scores of a Unigram's pieces, and the trie that finds them. */
#include "data/text/private/unigram.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"
#include "data/text/private/tokens_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hl_status hl_unigram_reserve(hl_unigram *unigram, size_t n)
{
    unigram->scores = hl_calloc(n, sizeof *unigram->scores);
    unigram->n_scores = n;
    HL_NEED(unigram->scores != NULL, "scores of pieces");
    return hl_ok();
}

void hl_unigram_free(hl_unigram *unigram)
{
    if (unigram != NULL) {
        hl_free(unigram->scores);
        hl_charsmap_free(&unigram->charsmap);
        hl_free(unigram->nodes);
        hl_free(unigram->labels);
        hl_free(unigram->used);
        hl_free(unigram);
    }
}

/* ---- scores ---- */

static double power_of_ten(int exponent)
{
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

/* The library does not read a number as the nearest double: it rounds the digits to a double, and divides by a power of
 * ten or multiplies by it, which rounds again. Sums of scores are compared, so the last bit counts. */
static double as_read(double score)
{
    enum { FEWEST = 15, MOST = 17, MOST_EXPONENT = 308 }; /* digits that tell any double */
    char text[32];
    for (int digits = FEWEST; digits <= MOST; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, score);
        if (strtod(text, NULL) == score) {
            break;
        }
    }
    char *at = text;
    uint64_t digits = 0;
    int after_point = -1, zeros = 0; /* zeros at the end are not in the file */
    for (; *at != 'e'; at++) {
        bool digit = *at >= '0' && *at <= '9';
        digits = digit ? 10 * digits + (uint64_t)(*at - '0') : digits;
        after_point += digit;
    }
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        zeros++;
    }
    int exponent = (int)strtol(at + 1, NULL, 10) - after_point + zeros;
    double read = (double)digits;
    for (; exponent < -MOST_EXPONENT; exponent += MOST_EXPONENT) {
        read /= power_of_ten(MOST_EXPONENT);
    }
    read = exponent < 0 ? read / power_of_ten(-exponent) : read * power_of_ten(exponent);
    return score < 0 ? -read : read;
}

static hl_status read_scores(hl_unigram *unigram)
{
    enum { PENALTY = 10 };
    double least = INFINITY;
    unigram->used = hl_calloc(unigram->n_scores, sizeof *unigram->used);
    HL_NEED(unigram->used != NULL, "scores of pieces");
    for (size_t id = 0; id < unigram->n_scores; id++) {
        unigram->used[id] = as_read(unigram->scores[id]);
        least = fmin(least, unigram->used[id]);
    }
    unigram->unknown = least - PENALTY;
    return hl_ok();
}

/* ---- the trie ---- */

typedef struct entry {
    const char *piece;
    int32_t id;
} entry;

static int compare(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->piece, ((const entry *)b)->piece);
}

/* The sorted pieces first .. end - 1 begin with the same `depth` bytes, which lead to a node. */
typedef struct range {
    int32_t first, end;
    uint32_t depth;
} range;

typedef struct builder {
    hl_unigram *unigram;
    range *ranges; /* of each node */
    size_t n, nodes_capacity, labels_capacity, ranges_capacity;
} builder;

static hl_status add_node(builder *b, range pieces, unsigned char label)
{
    HL_NEED(HL_GROW(b->unigram->nodes, b->nodes_capacity, b->n + 2) &&
                HL_GROW(b->unigram->labels, b->labels_capacity, b->n + 1) &&
                HL_GROW(b->ranges, b->ranges_capacity, b->n + 1),
            "pieces");
    b->unigram->labels[b->n] = label;
    b->ranges[b->n++] = pieces;
    return hl_ok();
}

/* Adds the nodes level by level, so that the children of the nodes follow each other as the nodes do. */
static hl_status add_nodes(builder *b, const entry *sorted, int32_t n)
{
    HL_TRY(add_node(b, (range){ 0, n, 0 }, 0));
    for (size_t node = 0; node < b->n; node++) {
        range pieces = b->ranges[node];
        const uint32_t depth = pieces.depth;
        bool ends = pieces.first < pieces.end && sorted[pieces.first].piece[depth] == '\0';
        b->unigram->nodes[node] = (hl_unigram_node){ (uint32_t)b->n, ends ? sorted[pieces.first].id : -1 };
        for (int32_t i = pieces.first + ends, next; i < pieces.end; i = next) {
            char byte = sorted[i].piece[depth];
            for (next = i + 1; next < pieces.end && sorted[next].piece[depth] == byte; next++) {
            }
            HL_TRY(add_node(b, (range){ i, next, depth + 1 }, (unsigned char)byte));
        }
    }
    b->unigram->nodes[b->n].children = (uint32_t)b->n;
    return hl_ok();
}

hl_status hl_unigram_index(const hl_tokens *tokens, hl_unigram *unigram)
{
    HL_TRY(read_scores(unigram));
    entry *sorted = hl_calloc((size_t)tokens->n_model, sizeof *sorted);
    HL_NEED(sorted != NULL, "pieces");
    for (int32_t id = 0; id < tokens->n_model; id++) {
        sorted[id] = (entry){ tokens->text.bytes + tokens->starts[id], id };
    }
    qsort(sorted, (size_t)tokens->n_model, sizeof *sorted, compare);
    builder b = { .unigram = unigram };
    hl_status status = add_nodes(&b, sorted, tokens->n_model);
    hl_free(b.ranges);
    hl_free(sorted);
    HL_TRY(status);
    memset(unigram->roots, 0xFF, sizeof unigram->roots); /* -1 */
    for (uint32_t node = unigram->nodes[0].children; node < unigram->nodes[1].children; node++) {
        unigram->roots[unigram->labels[node]] = (int32_t)node;
    }
    return hl_ok();
}
