/* Makes pieces from the most frequent pairs of neighbouring pieces, one after another. */
#pragma once

#include "core/base/status.h"
#include "data/text/private/heap.h"
#include "data/text/private/number_table.h"
#include "data/text/private/text_set.h"
#include "data/text/private/tokens_parts.h"

#include <stddef.h>
#include <stdint.h>

/* Words, as the ids of their pieces. A zeroed learner is empty. Owned by the caller: hl_merge_learner_free. */
typedef struct hl_merge_learner {
    int32_t *symbols; /* the pieces of all words, one word after another */
    size_t n_symbols, symbols_capacity;
    struct hl_merge_word {
        size_t start, n;
        int64_t count;
    } * words;
    size_t n_words, words_capacity;

    hl_merge *merges; /* the result */
    size_t n_merges, merges_capacity;

    /* working memory */
    struct hl_merge_pair *pairs;
    size_t n_pairs, pairs_capacity;
    hl_number_table table; /* of pairs */
    struct hl_merge_place *places;
    size_t n_places, places_capacity;
    hl_heap heap; /* of pairs; the key is minus the count at insertion, and an entry whose count has changed is out of
                     date */
    uint32_t *grown; /* pairs whose count has increased in this merge */
    size_t n_grown, grown_capacity;
} hl_merge_learner;

/* Adds a word with `count` occurrences and no pieces; hl_merge_learner_symbol adds the next piece to it.
 * HL_NO_MEMORY. */
hl_status hl_merge_learner_word(hl_merge_learner *learner, int64_t count);
hl_status hl_merge_learner_symbol(hl_merge_learner *learner, int32_t id);

/* Adds pieces to the set, whose numbers are the ids, until it has `size` or no pair occurs `least` times. The first
 * `prefix_size` bytes of a pair's right piece are left out of the new piece. HL_NO_MEMORY. */
hl_status hl_merge_learner_run(hl_merge_learner *learner, size_t size, int64_t least, size_t prefix_size,
                               hl_text_set *pieces);

void hl_merge_learner_free(hl_merge_learner *learner);
