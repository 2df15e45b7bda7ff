#include "data/text/private/tokens_encode.h"
#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/byte_letters.h"
#include "data/text/private/grow.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

/* Checks the text and allocates the memory to cut it. */
static hl_status begin(const hl_tokens *tokens, const char *text, size_t size, hl_pieces *pieces)
{
    HL_TRY(hl_tokens_check_text(tokens->kind, text, size));
    if (pieces->scratch == NULL) {
        pieces->scratch = hl_calloc(1, sizeof *pieces->scratch);
    }
    return pieces->scratch != NULL ? hl_ok() : hl_error_memory("a text's pieces");
}

/* Encodes a part of a text, which begins at `base` in the text; `space`: a space may come before it. */
typedef hl_status encode_part(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                              bool space, hl_pieces *pieces);

/* Cuts the added tokens that the matcher knows out of the text, and encodes the parts between them. `space`: one may
 * come before the text; after an added token, the tokens' rule decides. */
static hl_status encode_between(const hl_tokens *tokens, const hl_token_matcher *matcher, encode_part *part,
                                const char *text, size_t size, size_t base, bool specials, bool space,
                                hl_pieces *pieces)
{
    size_t from = 0, at = 0; /* where the unencoded part begins, and where the search goes on */
    hl_added_match match;
    while (hl_tokens_next_added(matcher, text, size, specials, from, &at, &match)) {
        if (match.begin > from) {
            HL_TRY(part(tokens, text + from, match.begin - from, base + from, specials, space, pieces));
        }
        HL_TRY(hl_pieces_add(pieces, match.token->id, base + match.begin, base + match.end));
        from = match.end;
        space = tokens->rules.prefix_space && (tokens->unigram == NULL || !tokens->unigram->first_only);
    }
    return from < size ? part(tokens, text + from, size - from, base + from, specials, space, pieces) : hl_ok();
}

static hl_status encode_bytes(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                              bool space, hl_pieces *pieces)
{
    (void)specials;
    space = space && size > 0 && text[0] != ' ';
    return hl_tokens_encode_bpe(tokens, text, size, base, space, pieces);
}

/* Adds the piece for the characters first .. end - 1. */
static hl_status add_word(const hl_tokens *tokens, size_t first, size_t end, size_t base, hl_pieces *pieces)
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

static hl_status encode_words(const hl_tokens *tokens, const char *text, size_t size, size_t base, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_TRY(hl_tokens_normalize(&tokens->rules, text, size, scratch));
    for (size_t first, end = 0; hl_tokens_next_word(tokens->kind, scratch, &first, &end);) {
        HL_TRY(add_word(tokens, first, end, base, pieces));
    }
    return hl_ok();
}

/* Encodes a text of bpe or bytes, whose offsets are those of the original text also where NFC changes it. */
static hl_status encode_normalized(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                                   bool space, hl_pieces *pieces)
{
    const hl_token_matcher *matcher = &tokens->matchers[1];
    if (!tokens->rules.nfc || hl_is_nfc(text, size)) {
        return encode_between(tokens, matcher, encode_bytes, text, size, base, specials, space, pieces);
    }
    hl_tokens_scratch *scratch = pieces->scratch;
    size_t i = pieces->n;
    HL_TRY(hl_tokens_normalize_nfc(text, size, scratch));
    HL_TRY(encode_between(tokens, matcher, encode_bytes, scratch->plain, scratch->n_plain, 0, specials, space, pieces));
    for (; i < pieces->n; i++) {
        hl_piece *piece = &pieces->at[i];
        piece->begin = base + scratch->origins[piece->begin].begin;
        piece->end = base + scratch->origins[piece->end - 1].end;
    }
    return hl_ok();
}

/* Encodes the parts between the added tokens that are found in the original text. */
static hl_status encode_rest(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                             bool space, hl_pieces *pieces)
{
    switch (tokens->kind) {
    case HL_TOKENS_WORDPIECE:
        return hl_tokens_encode_wordpiece(tokens, text, size, base, specials, pieces);
    case HL_TOKENS_UNIGRAM:
        return hl_tokens_encode_unigram(tokens, text, size, base, specials, space, pieces);
    case HL_TOKENS_BYTES:
    case HL_TOKENS_BPE:
        return encode_normalized(tokens, text, size, base, specials, space, pieces);
    default:
        return encode_words(tokens, text, size, base, pieces);
    }
}

static hl_status encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, bool space,
                        hl_pieces *pieces)
{
    size_t n = pieces->n;
    HL_TRY(begin(tokens, text, size, pieces));
    hl_status status =
        encode_between(tokens, &tokens->matchers[0], encode_rest, text, size, 0, specials, space, pieces);
    if (status.code != HL_OK) {
        pieces->n = n;
    }
    return status;
}

hl_status hl_tokens_encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, hl_pieces *pieces)
{
    return encode(tokens, text, size, specials, tokens->rules.prefix_space, pieces);
}

hl_status hl_tokens_encode_more(const hl_tokens *tokens, const char *text, size_t size, bool specials,
                                hl_pieces *pieces)
{
    return encode(tokens, text, size, specials, false, pieces);
}

hl_status hl_tokens_encode_word(const hl_tokens *tokens, const char *word, size_t size, bool first, hl_pieces *pieces)
{
    size_t n = pieces->n;
    HL_TRY(begin(tokens, word, size, pieces));
    bool spaces = tokens->kind == HL_TOKENS_BPE || tokens->kind == HL_TOKENS_UNIGRAM;
    bool space = spaces && (!first || tokens->rules.prefix_space);
    hl_status status = encode_between(tokens, &tokens->matchers[0], encode_rest, word, size, 0, false, space, pieces);
    if (status.code == HL_OK && pieces->n == n) {
        int32_t unknown = tokens->roles[HL_ROLE_UNK];
        status = unknown >= 0 ? hl_pieces_add(pieces, unknown, 0, size)
                              : hl_error(HL_INVALID, "a word without a piece, and there is no unknown token");
    }
    if (status.code != HL_OK) {
        pieces->n = n;
    }
    return status;
}

hl_status hl_tokens_wrap(const hl_tokens *tokens, size_t n_first, hl_pieces *pieces)
{
    if (n_first > pieces->n) {
        return hl_error(HL_INVALID, "a first text of %zu pieces, but there are only %zu", n_first, pieces->n);
    }
    const hl_template *template = n_first < pieces->n ? &tokens->pair : &tokens->single;
    HL_TRY(begin(tokens, NULL, 0, pieces));
    hl_tokens_scratch *scratch = pieces->scratch;
    HL_NEED(HL_GROW(scratch->wrapped, scratch->wrapped_capacity, pieces->n + HL_TEMPLATE_MAX),
            "a text's special tokens");
    size_t n = 0;
    for (int i = 0; i < template->n; i++) {
        int32_t id = template->at[i].id, type = template->at[i].type;
        size_t from = id == HL_TEXT_B ? n_first : 0;
        size_t end = id == HL_TEXT_B ? pieces->n : id == HL_TEXT_A ? n_first : 0;
        if (id >= 0) {
            scratch->wrapped[n++] = (hl_piece){ .id = id, .type = type };
        }
        for (size_t piece = from; piece < end; piece++) {
            scratch->wrapped[n] = pieces->at[piece];
            scratch->wrapped[n++].type = type;
        }
    }
    hl_piece *before = pieces->at;
    size_t capacity = pieces->capacity;
    pieces->at = scratch->wrapped;
    pieces->capacity = scratch->wrapped_capacity;
    pieces->n = n;
    scratch->wrapped = before;
    scratch->wrapped_capacity = capacity;
    return hl_ok();
}

/* Adds the bytes for which a piece of bpe or bytes stands: the bytes of its letters, or its own if it has other
 * characters. */
static void add_bytes(const char *piece, size_t size, hl_text *text)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < size;) {
            uint32_t code;
            i += hl_utf8_decode(piece + i, size - i, &code);
            int byte = hl_byte_of_letter(code);
            if (byte < 0) {
                hl_text_add(text, piece, size);
                return;
            }
            char c = (char)byte;
            hl_text_add(text, &c, pass == 1 ? 1 : 0);
        }
    }
}

/* Adds a piece of unigram, with a space for each mark of one. */
static void add_spaced(const char *piece, size_t size, hl_text *text)
{
    for (size_t i = 0; i < size;) {
        bool mark = strncmp(piece + i, HL_SPACE_MARK, HL_SPACE_MARK_BYTES) == 0;
        hl_text_add(text, mark ? " " : piece + i, 1);
        i += mark ? HL_SPACE_MARK_BYTES : 1;
    }
}

hl_status hl_tokens_decode(const hl_tokens *tokens, const int32_t *ids, size_t n, bool specials, hl_text *text)
{
    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= tokens->n) {
            return hl_error(HL_INVALID, "no token has the id %d: there are %d", ids[i], tokens->n);
        }
    }
    bool spaced = tokens->kind == HL_TOKENS_WORDS || tokens->kind == HL_TOKENS_WORDPIECE, any = false;
    for (size_t i = 0; i < n; i++) {
        enum hl_piece_kind kind = tokens->piece_kinds[ids[i]];
        if (kind == HL_SPECIAL && !specials) {
            continue;
        }
        size_t size;
        const char *piece = hl_tokens_piece(tokens, ids[i], &size);
        bool continues = tokens->kind == HL_TOKENS_WORDPIECE && any && size > 2 && memcmp(piece, "##", 2) == 0;
        if (spaced) {
            hl_text_add(text, " ", any && !continues);
            hl_text_add(text, piece + 2 * continues, size - 2 * continues);
        } else if (kind == HL_OF_MODEL && tokens->kind == HL_TOKENS_UNIGRAM) {
            add_spaced(piece, size, text);
        } else if (kind == HL_OF_MODEL && tokens->kind != HL_TOKENS_CHARS) {
            add_bytes(piece, size, text);
        } else {
            hl_text_add(text, piece, size);
        }
        any = true;
    }
    return hl_text_status(text);
}
