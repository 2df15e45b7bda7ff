#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

/* ---- the cut by the regular expression ---- */

static hl_kind kind_at(const char *text, size_t size, size_t at, size_t *bytes)
{
    uint32_t code;
    *bytes = hl_utf8_decode(text + at, size - at, &code);
    return hl_byte_level_kind(code);
}

static size_t contraction(const char *text, size_t size)
{
    static const char *const ends[] = { "'s", "'t", "'re", "'ve", "'m", "'ll", "'d" };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t length = strlen(ends[i]);
        if (length <= size && memcmp(text, ends[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

size_t hl_pretoken_end(const char *text, size_t size, size_t begin)
{
    size_t bytes, length = text[begin] == '\'' ? contraction(text + begin, size - begin) : 0;
    if (length > 0) {
        return begin + length;
    }
    size_t at = begin + (text[begin] == ' ' && begin + 1 < size);
    hl_kind kind = kind_at(text, size, at, &bytes);
    if (kind == HL_KIND_WHITE) {
        at = begin;
        kind = kind_at(text, size, at, &bytes);
    }
    size_t end = at, last = at;
    while (end < size && kind_at(text, size, end, &bytes) == kind) {
        last = end;
        end += bytes;
    }
    /* White space before anything else leaves its last character to the next match. */
    return kind == HL_KIND_WHITE && end < size && last > begin ? last : end;
}

/* ---- merges ---- */

/* Pairs that may be merged: the lowest rank first, and with equal ranks the leftmost. */
static bool in_order(const void *unused, uint32_t a, uint32_t b)
{
    (void)unused;
    return a < b;
}

/* Pushes the pair of the symbol and its right neighbour, if they can be merged. */
static hl_status push_pair(const hl_tokens *tokens, hl_tokens_scratch *scratch, int32_t left)
{
    if (left < 0 || scratch->symbols[left].right < 0) {
        return hl_ok();
    }
    int64_t rank = hl_tokens_rank(tokens, scratch->symbols[left].id, scratch->symbols[scratch->symbols[left].right].id);
    return rank < 0 || hl_heap_push(&scratch->heap, (hl_heap_entry){ rank, (uint32_t)left }, in_order, NULL)
               ? hl_ok()
               : hl_error_memory("pairs of a word");
}

/* An entry whose left symbol or pair has changed since is skipped; but, as in the reference, not if the new pair
 * becomes the same piece. */
static hl_status merge(const hl_tokens *tokens, hl_tokens_scratch *scratch, int32_t n_symbols)
{
    hl_symbol *symbols = scratch->symbols;
    scratch->heap.n = 0;
    for (int32_t i = 0; i < n_symbols; i++) {
        HL_TRY(push_pair(tokens, scratch, i));
    }
    while (scratch->heap.n > 0) {
        hl_heap_entry entry = hl_heap_pop(&scratch->heap, in_order, NULL);
        int32_t left = (int32_t)entry.number, right = symbols[left].right;
        if (symbols[left].id < 0 || right < 0) {
            continue;
        }
        int64_t rank = hl_tokens_rank(tokens, symbols[left].id, symbols[right].id);
        int32_t id = tokens->merges[entry.key].id;
        if (rank < 0 || tokens->merges[rank].id != id) {
            continue;
        }
        symbols[left].id = id;
        symbols[left].end = symbols[right].end;
        symbols[left].right = symbols[right].right;
        symbols[right].id = -1;
        if (symbols[left].right >= 0) {
            symbols[symbols[left].right].left = left;
        }
        HL_TRY(push_pair(tokens, scratch, symbols[left].left));
        HL_TRY(push_pair(tokens, scratch, left));
    }
    return hl_ok();
}

/* Splits the bytes begin .. end - 1 of the text into symbols. A byte without a piece becomes the unknown token or
 * nothing. */
static int32_t split(const hl_tokens *tokens, const char *text, size_t begin, size_t end, hl_symbol *symbols)
{
    int32_t n = 0;
    for (size_t i = begin; i < end; i++) {
        int32_t id = tokens->byte_ids[(unsigned char)text[i]];
        id = id >= 0 || !tokens->rules.unknown_bytes ? id : tokens->roles[HL_ROLE_UNK];
        if (id >= 0) {
            symbols[n] =
                (hl_symbol){ .id = id, .left = n - 1, .right = n + 1, .begin = (uint32_t)i, .end = (uint32_t)i + 1 };
            n++;
        }
    }
    if (n > 0) {
        symbols[n - 1].right = -1;
    }
    return n;
}

/* Adds the symbols, with the offsets of whole characters. `space`: the text begins with a space that is not in the
 * source. */
static hl_status add(const hl_symbol *symbols, int32_t n, const char *text, size_t size, size_t base, bool space,
                     hl_pieces *pieces)
{
    enum { CONTINUING = 3 }; /* the most in one character; bytes that are not UTF-8 may have any number in a row */
    for (int32_t i = n > 0 ? 0 : -1; i >= 0; i = symbols[i].right) {
        size_t begin = symbols[i].begin, end = symbols[i].end;
        begin += space && begin == 0; /* the added space has the offset of the first character */
        end = end > begin ? end : begin + 1;
        for (int c = 0; c < CONTINUING && begin > 0 && hl_continues(text[begin]); c++) {
            begin--;
        }
        for (int c = 0; c < CONTINUING && end < size && hl_continues(text[end]); c++) {
            end++;
        }
        HL_TRY(hl_pieces_add(pieces, symbols[i].id, base + begin - space, base + end - space));
    }
    return hl_ok();
}

static hl_status encode(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool space,
                        hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    for (size_t begin = 0, end; begin < size; begin = end) {
        end = tokens->kind == HL_TOKENS_BYTES ? begin + 1 : hl_pretoken_end(text, size, begin);
        HL_NEED(HL_GROW(scratch->symbols, scratch->symbols_capacity, end - begin), "bytes of a word");
        int32_t n = split(tokens, text, begin, end, scratch->symbols);
        HL_TRY(merge(tokens, scratch, n));
        HL_TRY(add(scratch->symbols, n, text, size, base, space, pieces));
    }
    return hl_ok();
}

hl_status hl_tokens_encode_bpe(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces)
{
    if (!part->space || part->text[0] == ' ') {
        return encode(tokens, part->text, part->size, part->base, false, pieces);
    }
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_NEED(HL_GROW(scratch->word, scratch->word_capacity, part->size + 1), "a text");
    scratch->word[0] = ' ';
    memcpy(scratch->word + 1, part->text, part->size);
    return encode(tokens, scratch->word, part->size + 1, part->base, true, pieces);
}
