#include "data/text/private/merge_learner.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"
#include "data/text/private/hash.h"

#include <stdbool.h>

typedef struct hl_merge_pair {
    int32_t left, right;
    int64_t count;
    uint32_t place; /* the first of its places; UINT32_MAX: none */
    bool grown;     /* is in learner->grown */
    bool merged;    /* is in learner->merges */
} pair;

/* A word in which the pair occurs, or did occur. */
typedef struct hl_merge_place {
    uint32_t word, next;
} place;

hl_status hl_merge_learner_word(hl_merge_learner *learner, int64_t count)
{
    HL_NEED(learner->n_words < UINT32_MAX && HL_GROW(learner->words, learner->words_capacity, learner->n_words + 1),
            "words to learn tokens from");
    learner->words[learner->n_words++] = (struct hl_merge_word){ .start = learner->n_symbols, .count = count };
    return hl_ok();
}

hl_status hl_merge_learner_symbol(hl_merge_learner *learner, int32_t id)
{
    HL_NEED(HL_GROW(learner->symbols, learner->symbols_capacity, learner->n_symbols + 1), "words to learn tokens from");
    learner->symbols[learner->n_symbols++] = id;
    learner->words[learner->n_words - 1].n++;
    return hl_ok();
}

static bool in_order(const void *context, uint32_t a, uint32_t b)
{
    const hl_merge_learner *learner = context;
    const pair *x = &learner->pairs[a], *y = &learner->pairs[b];
    return x->left != y->left ? x->left < y->left : x->right < y->right;
}

static hl_status push(hl_merge_learner *learner, uint32_t number)
{
    hl_heap_entry entry = { -learner->pairs[number].count, number };
    return hl_heap_push(&learner->heap, entry, in_order, learner) ? hl_ok()
                                                                  : hl_error_memory("pairs to learn tokens from");
}

static bool is_pair(const void *things, uint32_t number, const void *wanted)
{
    const hl_merge_learner *learner = things;
    const pair *a = &learner->pairs[number], *b = wanted;
    return a->left == b->left && a->right == b->right;
}

/* Counts the pair in the word; if count is negative, removes it. */
static hl_status count(hl_merge_learner *learner, int32_t left, int32_t right, uint32_t word, int64_t by)
{
    const uint64_t hash = hl_hash_pair(left, right);
    const pair wanted = { .left = left, .right = right, .place = UINT32_MAX };
    uint32_t number = hl_number_table_find(&learner->table, hash, is_pair, learner, &wanted);
    if (number == UINT32_MAX) {
        HL_NEED(learner->n_pairs < UINT32_MAX &&
                    HL_GROW(learner->pairs, learner->pairs_capacity, learner->n_pairs + 1) &&
                    hl_number_table_add(&learner->table, hash, learner->n_pairs),
                "pairs to learn tokens from");
        number = (uint32_t)learner->n_pairs++;
        learner->pairs[number] = wanted;
    }
    pair *counted = &learner->pairs[number];
    counted->count += by;
    if (by < 0) {
        return hl_ok();
    }
    if (!counted->grown) {
        HL_NEED(HL_GROW(learner->grown, learner->grown_capacity, learner->n_grown + 1), "pairs to learn tokens from");
        learner->grown[learner->n_grown++] = number;
        counted->grown = true;
    }
    if (counted->place == UINT32_MAX || learner->places[counted->place].word != word) {
        HL_NEED(learner->n_places < UINT32_MAX &&
                    HL_GROW(learner->places, learner->places_capacity, learner->n_places + 1),
                "pairs to learn tokens from");
        learner->places[learner->n_places] = (place){ word, counted->place };
        counted->place = (uint32_t)learner->n_places++;
    }
    return hl_ok();
}

/* Pushes the pairs that have become more frequent into the heap again. */
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

/* Replaces each left and right in the word by `id`, and counts its new neighbours. */
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

/* The piece that the pair becomes; an old piece if it has the same text. */
static hl_status make_piece(hl_text_set *pieces, const pair *made, size_t prefix_size, int32_t *id)
{
    hl_text text = { 0 };
    size_t number;
    hl_span left = hl_text_set_get(pieces, (size_t)made->left), right = hl_text_set_get(pieces, (size_t)made->right);
    hl_text_add(&text, left.text, left.size);
    hl_text_add(&text, right.text + prefix_size, right.size - prefix_size);
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
        HL_NEED(HL_GROW(learner->merges, learner->merges_capacity, learner->n_merges + 1), "merges of tokens");
        learner->merges[learner->n_merges++] = (hl_merge){ made.left, made.right, id };
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
    while (pieces->n < size && learner->heap.n > 0) {
        hl_heap_entry first = hl_heap_pop(&learner->heap, in_order, learner);
        int64_t then = -first.key, now = learner->pairs[first.number].count;
        if (now == then) {
            if (now < least) {
                break;
            }
            HL_TRY(merge(learner, first.number, prefix_size, pieces));
        } else if (now > 0 && now < then) {
            HL_TRY(push(learner, first.number));
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
    hl_free(learner->table.at);
    hl_free(learner->places);
    hl_free(learner->heap.at);
    hl_free(learner->grown);
    *learner = (hl_merge_learner){ 0 };
}
