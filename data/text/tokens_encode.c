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

typedef hl_status encode_part(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces);

/* Bytes first .. end - 1 of the part. */
static hl_tokens_part cut(const hl_tokens_part *part, size_t first, size_t end)
{
    return (hl_tokens_part){ .text = part->text + first,
                             .size = end - first,
                             .base = part->base + first,
                             .specials = part->specials,
                             .space = part->space };
}

/* Cuts the added tokens that the matcher knows out of the text, and encodes the parts between them. After an added
 * token, the tokens' rule decides about a space; unigram itself decides about those in a normalized text. */
static hl_status encode_between(const hl_tokens *tokens, const hl_token_matcher *matcher, encode_part *encode,
                                hl_tokens_part text, hl_pieces *pieces)
{
    size_t from = 0, at = 0; /* where the unencoded part begins, and where the search goes on */
    const hl_unigram *unigram = tokens->unigram;
    hl_added_match match;
    hl_tokens_part part;
    while (hl_tokens_next_added(matcher, text.text, text.size, text.specials, from, &at, &match)) {
        if (match.begin > from) {
            part = cut(&text, from, match.begin);
            HL_TRY(encode(tokens, &part, pieces));
        }
        HL_TRY(hl_pieces_add(pieces, match.token->id, text.base + match.begin, text.base + match.end));
        from = match.end;
        if (unigram == NULL || matcher == &tokens->matchers[0]) {
            text.space = tokens->rules.prefix_space && (unigram == NULL || !unigram->first_only);
        }
    }
    if (from == text.size) {
        return hl_ok();
    }
    part = cut(&text, from, text.size);
    return encode(tokens, &part, pieces);
}

bool hl_tokens_next_word(hl_tokens_kind kind, const char *text, size_t size, size_t *first, size_t *end)
{
    const unsigned punctuation = kind == HL_TOKENS_WORDPIECE ? HL_BERT_PUNCTUATION : 0;
    bool begun = false;
    for (size_t at = *end, bytes; at < size; at += bytes) {
        uint32_t code;
        bytes = hl_utf8_decode(text + at, size - at, &code);
        unsigned class = kind == HL_TOKENS_CHARS ? 0 : hl_bert_class(code);
        bool alone = kind == HL_TOKENS_CHARS || (class & punctuation);
        if (begun && (alone || (class & HL_BERT_WHITE))) {
            return true;
        }
        if ((class & HL_BERT_WHITE) == 0) {
            *first = begun ? *first : at;
            *end = at + bytes;
            begun = true;
        }
        if (alone) {
            return true;
        }
    }
    return begun;
}

/* Adds the piece for a word of chars or words. */
static hl_status add_word(const hl_tokens *tokens, const hl_tokens_part *word, hl_pieces *pieces)
{
    int32_t id = hl_tokens_find(tokens, word->text, word->size);
    id = id >= 0 && tokens->piece_kinds[id] != HL_SPECIAL ? id : tokens->roles[HL_ROLE_UNK];
    if (id < 0) {
        const hl_tokens_scratch *scratch = pieces->scratch;
        return hl_error(HL_INVALID, "at byte %zu: no piece is %.*s, and there is no unknown token",
                        scratch->base + scratch->origins[word->base].begin, (int)(word->size < 64 ? word->size : 64),
                        word->text);
    }
    return hl_pieces_add(pieces, id, word->base, word->base + word->size);
}

/* Encodes a part of a normalized text. */
static hl_status encode_words(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces)
{
    if (tokens->kind == HL_TOKENS_UNIGRAM) {
        return hl_tokens_encode_unigram(tokens, part, pieces);
    }
    if (tokens->kind == HL_TOKENS_BPE || tokens->kind == HL_TOKENS_BYTES) {
        return hl_tokens_encode_bpe(tokens, part, pieces);
    }
    encode_part *encode_word = tokens->kind == HL_TOKENS_WORDPIECE ? hl_tokens_encode_wordpiece : add_word;
    for (size_t first, end = 0; hl_tokens_next_word(tokens->kind, part->text, part->size, &first, &end);) {
        const hl_tokens_part word = cut(part, first, end);
        HL_TRY(encode_word(tokens, &word, pieces));
    }
    return hl_ok();
}

/* Encodes a part between the added tokens that are found in the original text. */
static hl_status encode_rest(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces)
{
    const hl_tokens_scratch *scratch = pieces->scratch;
    hl_tokens_part plain = *part;
    size_t n = pieces->n;
    HL_TRY(hl_tokens_normalize(tokens, &plain, pieces->scratch));
    HL_TRY(encode_between(tokens, &tokens->matchers[1], encode_words, plain, pieces));
    for (; plain.text != part->text && n < pieces->n; n++) {
        hl_piece *piece = &pieces->at[n];
        size_t begin = SIZE_MAX, end = 0;
        for (size_t at = piece->begin; at < piece->end; at++) { /* marks may have swapped positions */
            begin = scratch->origins[at].begin < begin ? scratch->origins[at].begin : begin;
            end = scratch->origins[at].end > end ? scratch->origins[at].end : end;
        }
        piece->begin = scratch->base + begin;
        piece->end = scratch->base + end;
    }
    return hl_ok();
}

/* `word`: has at least one piece. */
static hl_status encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, bool space, bool word,
                        hl_pieces *pieces)
{
    const int32_t unknown = tokens->roles[HL_ROLE_UNK];
    size_t n = pieces->n;
    HL_TRY(begin(tokens, text, size, pieces));
    hl_tokens_part whole = { .text = text, .size = size, .specials = specials, .space = space };
    hl_status status = encode_between(tokens, &tokens->matchers[0], encode_rest, whole, pieces);
    if (status.code == HL_OK && word && pieces->n == n) {
        status = unknown >= 0 ? hl_pieces_add(pieces, unknown, 0, size)
                              : hl_error(HL_INVALID, "a word without a piece, and there is no unknown token");
    }
    if (status.code != HL_OK) {
        pieces->n = n;
    }
    return status;
}

hl_status hl_tokens_encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, hl_pieces *pieces)
{
    return encode(tokens, text, size, specials, tokens->rules.prefix_space, false, pieces);
}

hl_status hl_tokens_encode_more(const hl_tokens *tokens, const char *text, size_t size, bool specials,
                                hl_pieces *pieces)
{
    return encode(tokens, text, size, specials, false, false, pieces);
}

hl_status hl_tokens_encode_word(const hl_tokens *tokens, const char *word, size_t size, bool first, hl_pieces *pieces)
{
    bool spaces = tokens->kind == HL_TOKENS_BPE || tokens->kind == HL_TOKENS_UNIGRAM;
    bool space = spaces && (!first || tokens->rules.prefix_space);
    return encode(tokens, word, size, false, space, true, pieces);
}

hl_status hl_tokens_wrap(const hl_tokens *tokens, size_t n_first, hl_pieces *pieces)
{
    if (n_first > pieces->n) {
        return hl_error(HL_INVALID, "a first text of %zu pieces, but there are only %zu", n_first, pieces->n);
    }
    const hl_template *template = n_first < pieces->n ? &tokens->pair : &tokens->single;
    HL_TRY(begin(tokens, NULL, 0, pieces));
    hl_pieces *wrapped = &pieces->scratch->wrapped;
    HL_NEED(HL_GROW(wrapped->at, wrapped->capacity, pieces->n + HL_TEMPLATE_MAX), "a text's special tokens");
    wrapped->n = 0;
    for (int i = 0; i < template->n; i++) {
        int32_t id = template->at[i].id, type = template->at[i].type;
        size_t from = id == HL_TEXT_B ? n_first : 0;
        size_t end = id == HL_TEXT_B ? pieces->n : id == HL_TEXT_A ? n_first : 0;
        if (id >= 0) {
            wrapped->at[wrapped->n++] = (hl_piece){ .id = id, .type = type };
        }
        for (size_t piece = from; piece < end; piece++) {
            wrapped->at[wrapped->n] = pieces->at[piece];
            wrapped->at[wrapped->n++].type = type;
        }
    }
    const hl_pieces before = *pieces;
    *pieces = *wrapped;
    pieces->scratch = before.scratch;
    *wrapped = (hl_pieces){ .at = before.at, .capacity = before.capacity };
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
        if (ids[i] < 0 || ids[i] >= hl_tokens_count(tokens)) {
            return hl_error(HL_INVALID, "no token has the id %d: there are %d", ids[i], hl_tokens_count(tokens));
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
