#include "data/text/private/merge_learner.h"

#include "core/memory.h"
#include "data/text/private/grow.h"

#include <stdbool.h>
#include <string.h>

typedef struct hl_merge_pair {
    int32_t left, right;
    int64_t count;
    uint32_t place; /* the first of its places, UINT32_MAX: none */
    bool grown;     /* stands in learner->grown */
    bool merged;    /* is in learner->merges */
} pair;

/* A word in which the pair stands, or stood. */
typedef struct hl_merge_place {
    uint32_t word, next;
} place;

/* The count of a pair when it was put into the heap: an entry whose pair has another one by now is out of date. */
typedef struct hl_merge_entry {
    int64_t count;
    uint32_t pair;
} entry;

hl_status hl_merge_learner_word(hl_merge_learner *learner, int64_t count)
{
    if (learner->n_words == UINT32_MAX ||
        !hl_grow((void **)&learner->words, &learner->words_capacity, learner->n_words + 1, sizeof *learner->words)) {
        return hl_error_memory("words to learn tokens from");
    }
    learner->words[learner->n_words++] = (struct hl_merge_word){ .start = learner->n_symbols, .count = count };
    return hl_ok();
}

hl_status hl_merge_learner_symbol(hl_merge_learner *learner, int32_t id)
{
    if (!hl_grow((void **)&learner->symbols, &learner->symbols_capacity, learner->n_symbols + 1, sizeof id)) {
        return hl_error_memory("words to learn tokens from");
    }
    learner->symbols[learner->n_symbols++] = id;
    learner->words[learner->n_words - 1].n++;
    return hl_ok();
}

/* Whether entry a comes before entry b. */
static bool before(const hl_merge_learner *learner, entry a, entry b)
{
    const pair *x = &learner->pairs[a.pair], *y = &learner->pairs[b.pair];
    if (a.count != b.count) {
        return a.count > b.count;
    }
    return x->left != y->left ? x->left < y->left : x->right < y->right;
}

static hl_status push(hl_merge_learner *learner, uint32_t number)
{
    if (!hl_grow((void **)&learner->heap, &learner->heap_capacity, learner->n_heap + 1, sizeof *learner->heap)) {
        return hl_error_memory("pairs to learn tokens from");
    }
    entry new = { learner->pairs[number].count, number };
    size_t at = learner->n_heap++;
    for (; at > 0 && before(learner, new, learner->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        learner->heap[at] = learner->heap[(at - 1) / 2];
    }
    learner->heap[at] = new;
    return hl_ok();
}

static entry pop(hl_merge_learner *learner)
{
    entry *heap = learner->heap, first = heap[0], last = heap[--learner->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < learner->n_heap; at = child) {
        child += child + 1 < learner->n_heap && before(learner, heap[child + 1], heap[child]);
        if (!before(learner, heap[child], last)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

static uint32_t *find(const hl_merge_learner *learner, int32_t left, int32_t right)
{
    uint64_t hash = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = (size_t)(hash >> 32) & learner->mask;; i = (i + 1) & learner->mask) {
        uint32_t number = learner->table[i];
        if (number == UINT32_MAX || (learner->pairs[number].left == left && learner->pairs[number].right == right)) {
            return &learner->table[i];
        }
    }
}

static hl_status grow_table(hl_merge_learner *learner)
{
    enum { FEWEST = 1024 };
    if (learner->table != NULL && 2 * learner->n_pairs <= learner->mask) {
        return hl_ok();
    }
    size_t size = learner->table == NULL ? FEWEST : 2 * (learner->mask + 1);
    uint32_t *table = hl_malloc(size * sizeof *table);
    if (table == NULL) {
        return hl_error_memory("pairs to learn tokens from");
    }
    memset(table, 0xFF, size * sizeof *table);
    hl_free(learner->table);
    learner->table = table;
    learner->mask = size - 1;
    for (size_t i = 0; i < learner->n_pairs; i++) {
        *find(learner, learner->pairs[i].left, learner->pairs[i].right) = (uint32_t)i;
    }
    return hl_ok();
}

/* Counts the pair in the word, or where count is negative no longer. */
static hl_status count(hl_merge_learner *learner, int32_t left, int32_t right, uint32_t word, int64_t by)
{
    HL_TRY(grow_table(learner));
    uint32_t *number = find(learner, left, right);
    if (*number == UINT32_MAX) {
        if (learner->n_pairs == UINT32_MAX ||
            !hl_grow((void **)&learner->pairs, &learner->pairs_capacity, learner->n_pairs + 1, sizeof(pair))) {
            return hl_error_memory("pairs to learn tokens from");
        }
        learner->pairs[learner->n_pairs] = (pair){ .left = left, .right = right, .place = UINT32_MAX };
        *number = (uint32_t)learner->n_pairs++;
    }
    pair *counted = &learner->pairs[*number];
    counted->count += by;
    if (by < 0) {
        return hl_ok();
    }
    if (!counted->grown) {
        if (!hl_grow((void **)&learner->grown, &learner->grown_capacity, learner->n_grown + 1, sizeof *number)) {
            return hl_error_memory("pairs to learn tokens from");
        }
        learner->grown[learner->n_grown++] = *number;
        counted->grown = true;
    }
    if (counted->place == UINT32_MAX || learner->places[counted->place].word != word) {
        if (learner->n_places == UINT32_MAX || !hl_grow((void **)&learner->places, &learner->places_capacity,
                                                        learner->n_places + 1, sizeof *learner->places)) {
            return hl_error_memory("pairs to learn tokens from");
        }
        learner->places[learner->n_places] = (place){ word, counted->place };
        counted->place = (uint32_t)learner->n_places++;
    }
    return hl_ok();
}

/* The pairs that have become more frequent come into the heap anew. */
static hl_status push_grown(hl_merge_learner *learner)
{
    for (size_t i = 0; i < learner->n_grown; i++) {
        pair *grown = &learner->pairs[learner->grown[i]];
        grown->grown = false;
        if (grown->count > 0) {
            HL_TRY(push(learner, learner->grown[i]));
        }
    }
    learner->n_grown = 0;
    return hl_ok();
}

/* Puts `id` in the place of each left and right in the word, and counts what is now beside it. */
static hl_status merge_in_word(hl_merge_learner *learner, uint32_t number, int32_t left, int32_t right, int32_t id)
{
    struct hl_merge_word *word = &learner->words[number];
    int32_t *symbols = learner->symbols + word->start;
    size_t n = 0;
    for (size_t i = 0; i < word->n; i++) {
        if (i + 1 == word->n || symbols[i] != left || symbols[i + 1] != right) {
            symbols[n++] = symbols[i];
            continue;
        }
        if (n > 0) {
            HL_TRY(count(learner, symbols[n - 1], left, number, -word->count));
            HL_TRY(count(learner, symbols[n - 1], id, number, word->count));
        }
        if (i + 2 < word->n) {
            HL_TRY(count(learner, right, symbols[i + 2], number, -word->count));
            HL_TRY(count(learner, id, symbols[i + 2], number, word->count));
        }
        symbols[n++] = id;
        i++;
    }
    word->n = n;
    return hl_ok();
}

/* The piece that the pair becomes, an old one where its text is one already. */
static hl_status make_piece(hl_text_set *pieces, const pair *made, size_t prefix_size, int32_t *id)
{
    hl_text text = { 0 };
    size_t size, number;
    const char *piece = hl_text_set_get(pieces, (size_t)made->left, &size);
    hl_text_add(&text, piece, size);
    piece = hl_text_set_get(pieces, (size_t)made->right, &size);
    hl_text_add(&text, piece + prefix_size, size - prefix_size);
    HL_TRY(hl_text_status(&text));
    hl_status status = hl_text_set_add(pieces, text.bytes, text.size, 0, &number);
    hl_text_free(&text);
    *id = (int32_t)number;
    return status;
}

static hl_status merge(hl_merge_learner *learner, uint32_t number, size_t prefix_size, hl_text_set *pieces)
{
    pair made = learner->pairs[number];
    int32_t id = 0;
    HL_TRY(make_piece(pieces, &made, prefix_size, &id));
    if (!made.merged) {
        if (!hl_grow((void **)&learner->merges, &learner->merges_capacity, learner->n_merges + 2, sizeof id)) {
            return hl_error_memory("merges of tokens");
        }
        learner->merges[learner->n_merges++] = made.left;
        learner->merges[learner->n_merges++] = made.right;
    }
    learner->pairs[number].merged = true;
    learner->pairs[number].place = UINT32_MAX;
    for (uint32_t at = made.place; at != UINT32_MAX; at = learner->places[at].next) {
        HL_TRY(merge_in_word(learner, learner->places[at].word, made.left, made.right, id));
    }
    learner->pairs[number].count = 0;
    return push_grown(learner);
}

hl_status hl_merge_learner_run(hl_merge_learner *learner, size_t size, int64_t least, size_t prefix_size,
                               hl_text_set *pieces)
{
    for (uint32_t word = 0; word < learner->n_words; word++) {
        const int32_t *symbols = learner->symbols + learner->words[word].start;
        for (size_t i = 0; i + 1 < learner->words[word].n; i++) {
            HL_TRY(count(learner, symbols[i], symbols[i + 1], word, learner->words[word].count));
        }
    }
    HL_TRY(push_grown(learner));
    while (pieces->n < size && learner->n_heap > 0) {
        entry first = pop(learner);
        int64_t now = learner->pairs[first.pair].count;
        if (now == first.count) {
            if (now < least) {
                break;
            }
            HL_TRY(merge(learner, first.pair, prefix_size, pieces));
        } else if (now > 0 && now < first.count) {
            HL_TRY(push(learner, first.pair));
        }
    }
    return hl_ok();
}

void hl_merge_learner_free(hl_merge_learner *learner)
{
    hl_free(learner->symbols);
    hl_free(learner->words);
    hl_free(learner->merges);
    hl_free(learner->pairs);
    hl_free(learner->table);
    hl_free(learner->places);
    hl_free(learner->heap);
    hl_free(learner->grown);
    *learner = (hl_merge_learner){ 0 };
}
