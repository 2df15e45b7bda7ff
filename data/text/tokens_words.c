#include "data/text/private/tokens_encode.h"

/* Adds the piece for the characters first .. end - 1. */
static hl_status add(const hl_tokens *tokens, size_t first, size_t end, size_t base, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    size_t size;
    HL_TRY(hl_tokens_word_bytes(scratch, first, end, &size));
    int32_t id = hl_tokens_find(tokens, scratch->word, size);
    id = id >= 0 && tokens->piece_kinds[id] != HL_SPECIAL ? id : tokens->roles[HL_ROLE_UNK];
    if (id < 0) {
        return hl_error(HL_INVALID, "at byte %zu: no piece is %.*s, and there is no unknown token",
                        base + scratch->characters[first].begin, (int)(size < 64 ? size : 64), scratch->word);
    }
    return hl_pieces_add_characters(pieces, id, first, end, base);
}

hl_status hl_tokens_encode_words(const hl_tokens *tokens, const char *text, size_t size, size_t base, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_TRY(hl_tokens_normalize(&tokens->rules, text, size, scratch));
    for (size_t first, end = 0; hl_tokens_next_word(tokens->kind, scratch, &first, &end);) {
        HL_TRY(add(tokens, first, end, base, pieces));
    }
    return hl_ok();
}
