#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

/* The id and the end of the longest piece that begins at the word's character `from`; -1 if there is none. */
static int32_t longest_piece(const hl_tokens *tokens, const hl_tokens_scratch *scratch, size_t from, size_t n,
                             size_t *end)
{
    const char *prefix = from == 0 ? "" : "##";
    uint32_t begin = from == 0 ? 0 : scratch->ends[from - 1];
    uint64_t hash = from == 0 ? HL_HASH : hl_hash(HL_HASH, prefix, 2);
    size_t last = from;
    for (uint32_t at = begin; last < n && scratch->ends[last] - begin <= tokens->longest; last++) {
        hash = hl_hash(hash, scratch->word + at, scratch->ends[last] - at);
        at = scratch->ends[last];
        scratch->hashes[last] = hash;
    }
    for (; last > from; last--) {
        int32_t id = hl_tokens_find_hashed(tokens, scratch->hashes[last - 1], prefix, scratch->word + begin,
                                           scratch->ends[last - 1] - begin);
        if (id >= 0 && id < tokens->n_model) {
            *end = last;
            return id;
        }
    }
    return -1;
}

/* Adds the pieces of the word in characters first .. end - 1, or the unknown token for the whole word. */
static hl_status add_word(const hl_tokens *tokens, size_t first, size_t end, size_t base, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    size_t n = end - first, n_before = pieces->n, size;
    if ((int64_t)n <= tokens->rules.word_characters) {
        HL_TRY(hl_tokens_word_bytes(scratch, first, end, &size));
        size_t from = 0;
        while (from < n) {
            size_t to = from;
            int32_t id = longest_piece(tokens, scratch, from, n, &to);
            if (id < 0) {
                break;
            }
            HL_TRY(hl_pieces_add_characters(pieces, id, first + from, first + to, base));
            from = to;
        }
        if (from == n) {
            return hl_ok();
        }
        pieces->n = n_before;
    }
    return hl_pieces_add_characters(pieces, tokens->roles[HL_ROLE_UNK], first, end, base);
}

/* Adds the words in characters first .. end - 1. */
static hl_status add_words(const hl_tokens *tokens, size_t first, size_t end, size_t base, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    const size_t n = scratch->n_characters;
    hl_status status = hl_ok();
    scratch->n_characters = end;
    for (size_t at = first; status.code == HL_OK && hl_tokens_next_word(tokens->kind, scratch, &first, &at);) {
        status = add_word(tokens, first, at, base, pieces);
    }
    scratch->n_characters = n;
    return status;
}

/* A position among the characters, and in their UTF-8. */
typedef struct place {
    size_t character, byte;
} place;

/* The character that begins at that byte. The search begins at the last position found. */
static size_t character_at(const hl_tokens_scratch *scratch, size_t byte, place *at)
{
    char bytes[4];
    *at = byte < at->byte ? (place){ 0 } : *at;
    while (at->byte < byte) {
        at->byte += hl_utf8_encode(scratch->characters[at->character++].code, bytes);
    }
    return at->character;
}

/* Cuts out the added tokens whose normalized texts occur in the normalized text. */
static hl_status add_between(const hl_tokens *tokens, size_t base, bool specials, hl_pieces *pieces)
{
    enum { MOST = 4 }; /* bytes of a character */
    hl_tokens_scratch *scratch = pieces->scratch;
    size_t size = 0, from = 0, at = 0, done = 0; /* the last counts characters */
    HL_NEED(HL_GROW(scratch->plain, scratch->plain_capacity, MOST * scratch->n_characters), "a normalized text");
    for (size_t i = 0; i < scratch->n_characters; i++) {
        size += hl_utf8_encode(scratch->characters[i].code, scratch->plain + size);
    }
    place here = { 0 };
    hl_added_match match;
    while (hl_tokens_next_added(&tokens->matchers[1], scratch->plain, size, specials, from, &at, &match)) {
        size_t begin = character_at(scratch, match.begin, &here), end = character_at(scratch, match.end, &here);
        if (begin > done) {
            HL_TRY(add_words(tokens, done, begin, base, pieces));
        }
        HL_TRY(hl_pieces_add_characters(pieces, match.token->id, begin, end, base));
        from = match.end;
        done = end;
    }
    return add_words(tokens, done, scratch->n_characters, base, pieces);
}

hl_status hl_tokens_encode_wordpiece(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                                     hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_TRY(hl_tokens_normalize(&tokens->rules, text, size, scratch));
    return tokens->matchers[1].n > 0 ? add_between(tokens, base, specials, pieces)
                                     : add_words(tokens, 0, scratch->n_characters, base, pieces);
}
