#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

/* The id and the end of the longest piece that begins at the word's byte `from`; -1 if there is none. */
static int32_t longest_piece(const hl_tokens *tokens, const hl_tokens_part *word, size_t from, uint64_t *hashes,
                             size_t *end)
{
    const char *prefix = from == 0 ? "" : "##", *text = word->text + from;
    const size_t left = word->size - from, most = left < tokens->longest ? left : tokens->longest;
    uint64_t hash = from == 0 ? HL_HASH : hl_hash(HL_HASH, prefix, 2);
    for (size_t i = 0; i < most; i++) {
        hashes[i] = hash = hl_hash(hash, text + i, 1);
    }
    for (size_t size = most; size > 0; size--) {
        bool whole = size == left || !hl_continues(text[size]);
        int32_t id = whole ? hl_tokens_find_hashed(tokens, hashes[size - 1], prefix, text, size) : -1;
        if (id >= 0 && id < tokens->n_model) {
            *end = from + size;
            return id;
        }
    }
    return -1;
}

/* Adds the pieces of the word, or fewer: those before the first part that no piece fits. */
static hl_status add_pieces(const hl_tokens *tokens, const hl_tokens_part *word, size_t *end, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_NEED(HL_GROW(scratch->hashes, scratch->hashes_capacity, word->size), "a word's characters");
    for (size_t from = 0; from < word->size; from = *end) {
        int32_t id = longest_piece(tokens, word, from, scratch->hashes, end);
        if (id < 0) {
            return hl_ok();
        }
        HL_TRY(hl_pieces_add(pieces, id, word->base + from, word->base + *end));
    }
    return hl_ok();
}

hl_status hl_tokens_encode_wordpiece(const hl_tokens *tokens, const hl_tokens_part *word, hl_pieces *pieces)
{
    const size_t n = pieces->n;
    int64_t characters = 0;
    size_t end = 0;
    for (size_t i = 0; i < word->size; i++) {
        characters += !hl_continues(word->text[i]);
    }
    if (characters <= tokens->rules.word_characters) {
        HL_TRY(add_pieces(tokens, word, &end, pieces));
    }
    if (end == word->size) {
        return hl_ok();
    }
    pieces->n = n; /* the whole word is unknown */
    return hl_pieces_add(pieces, tokens->roles[HL_ROLE_UNK], word->base, word->base + word->size);
}
