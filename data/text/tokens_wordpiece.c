#include "data/text/private/tokens_encode.h"

/* The id and the end of the longest piece that the word's characters from `from` on begin with; -1 where none does. */
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
        if (id >= 0) {
            *end = last;
            return id;
        }
    }
    return -1;
}

/* Adds the pieces of the word of the characters first .. end - 1, or the unknown token for all of it. */
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

hl_status hl_tokens_encode_wordpiece(const hl_tokens *tokens, const char *text, size_t size, size_t base,
                                     hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_TRY(hl_tokens_normalize(&tokens->rules, text, size, scratch));
    for (size_t first, end = 0; hl_tokens_next_word(tokens->kind, scratch, &first, &end);) {
        HL_TRY(add_word(tokens, first, end, base, pieces));
    }
    return hl_ok();
}
