#include "data/text/private/tokens_encode.h"
#include "core/memory.h"
#include "core/private/utf8.h"
#include "data/text/private/byte_letters.h"
#include "data/text/private/grow.h"
#include "data/text/private/unicode.h"

#include <string.h>

void hl_pieces_free(hl_pieces *pieces)
{
    hl_free(pieces->at);
    hl_tokens_scratch *scratch = pieces->scratch;
    if (scratch != NULL) {
        hl_free(scratch->characters);
        hl_free(scratch->word);
        hl_free(scratch->ends);
        hl_free(scratch->hashes);
        hl_free(scratch->symbols);
        hl_free(scratch->heap.at);
        hl_free(scratch->wrapped);
        hl_free(scratch);
    }
    *pieces = (hl_pieces){ 0 };
}

/* Checks the text and makes the memory to cut it in. */
static hl_status begin(const hl_tokens *tokens, const char *text, size_t size, hl_pieces *pieces)
{
    HL_TRY(hl_tokens_check_text(tokens->kind, text, size));
    if (pieces->scratch == NULL) {
        pieces->scratch = hl_calloc(1, sizeof *pieces->scratch);
    }
    return pieces->scratch != NULL ? hl_ok() : hl_error_memory("a text's pieces");
}

static hl_status encode_part(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool space,
                             hl_pieces *pieces)
{
    switch (tokens->kind) {
    case HL_TOKENS_WORDPIECE:
        return hl_tokens_encode_wordpiece(tokens, text, size, base, pieces);
    case HL_TOKENS_BYTES:
    case HL_TOKENS_BPE:
        space = space && size > 0 && text[0] != ' ';
        return hl_tokens_encode_bpe(tokens, text, size, base, space, pieces);
    default:
        return hl_tokens_encode_words(tokens, text, size, base, pieces);
    }
}

static bool is_white(const char *text, size_t size, size_t *bytes)
{
    uint32_t code;
    *bytes = hl_utf8_decode(text, size, &code);
    return *bytes > 0 && (hl_bert_class(code) & HL_BERT_WHITE);
}

/* The first of the sorted special tokens first .. end - 1, alike in their first `at` bytes, whose next byte is at least
 * `least`; `end` where there is none. */
static size_t first_with(const hl_tokens *tokens, size_t first, size_t end, size_t at, int least)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if ((unsigned char)tokens->sorted[middle].piece[at] < least) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* The special token whose text stands at the beginning of these bytes, the longest; NULL where none does. Byte by byte
 * it leaves those that go on otherwise, so that its time hardly grows with their number. */
static const hl_special_token *special_at(const hl_tokens *tokens, const char *text, size_t size, size_t *bytes)
{
    const hl_special_token *found = NULL;
    size_t first = 0, end = tokens->n_specials;
    for (size_t i = 0; i < size && first < end; i++) {
        int byte = (unsigned char)text[i];
        first = first_with(tokens, first, end, i, byte);
        end = first_with(tokens, first, end, i, byte + 1);
        if (first < end && tokens->sorted[first].size == i + 1) {
            found = tokens->sorted[first].special;
            *bytes = i + 1;
        }
        while (first < end && tokens->sorted[first].size == i + 1) { /* a file may name one twice */
            first++;
        }
    }
    return found;
}

/* The end of the white space that stands at `at`, or its beginning where it ends there, not before `least`. */
static size_t white_end(const char *text, size_t size, size_t at)
{
    size_t bytes;
    while (at < size && is_white(text + at, size - at, &bytes)) {
        at += bytes;
    }
    return at;
}

static size_t white_begin(const char *text, size_t least, size_t at)
{
    for (size_t from = at, bytes; from > least;) {
        from--;
        if (((unsigned char)text[from] & 0xC0) != 0x80) {
            if (!is_white(text + from, at - from, &bytes)) {
                break;
            }
            at = from;
        }
    }
    return at;
}

/* Cuts the special tokens out of the text and encodes what lies between them. `space`: one may come before the text's
 * beginning; before what follows a special token it may in any case. */
static hl_status encode_between(const hl_tokens *tokens, const char *text, size_t size, bool space, hl_pieces *pieces)
{
    size_t from = 0; /* where what was not encoded yet begins */
    for (size_t i = 0, bytes; i < size;) {
        bool maybe = tokens->first_bytes[(unsigned char)text[i]];
        const hl_special_token *special = maybe ? special_at(tokens, text + i, size - i, &bytes) : NULL;
        if (special == NULL) {
            i++;
            continue;
        }
        size_t first = special->strip_left && i > from ? white_begin(text, from, i) : i;
        first = first > from ? first : from;
        size_t end = special->strip_right ? white_end(text, size, i + bytes) : i + bytes;
        if (first > from) {
            HL_TRY(encode_part(tokens, text + from, first - from, from, space, pieces));
        }
        HL_TRY(hl_pieces_add(pieces, special->id, first, end));
        i += bytes;
        from = end;
        space = tokens->rules.prefix_space;
    }
    return from < size ? encode_part(tokens, text + from, size - from, from, space, pieces) : hl_ok();
}

static hl_status encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, bool space,
                        hl_pieces *pieces)
{
    size_t n = pieces->n;
    HL_TRY(begin(tokens, text, size, pieces));
    hl_status status = specials ? encode_between(tokens, text, size, space, pieces)
                                : encode_part(tokens, text, size, 0, space, pieces);
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
    bool space = tokens->kind == HL_TOKENS_BPE && (!first || tokens->rules.prefix_space);
    hl_status status = encode_part(tokens, word, size, 0, space, pieces);
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

/* The bytes that a piece of bpe or bytes stands for: those of its letters, or its own where it has others. */
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

hl_status hl_tokens_decode(const hl_tokens *tokens, const int32_t *ids, size_t n, bool specials, hl_text *text)
{
    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= tokens->n) {
            return hl_error(HL_INVALID, "no token has the id %d: there are %d", ids[i], tokens->n);
        }
    }
    bool spaced = tokens->kind == HL_TOKENS_WORDS || tokens->kind == HL_TOKENS_WORDPIECE, any = false;
    for (size_t i = 0; i < n; i++) {
        bool special = tokens->is_special[ids[i]];
        if (special && !specials) {
            continue;
        }
        size_t size;
        const char *piece = hl_tokens_piece(tokens, ids[i], &size);
        bool continues = tokens->kind == HL_TOKENS_WORDPIECE && any && size > 2 && memcmp(piece, "##", 2) == 0;
        if (spaced) {
            hl_text_add(text, " ", any && !continues);
            hl_text_add(text, piece + 2 * continues, size - 2 * continues);
        } else if (!special && tokens->kind != HL_TOKENS_CHARS) {
            add_bytes(piece, size, text);
        } else {
            hl_text_add(text, piece, size);
        }
        any = true;
    }
    return hl_text_status(text);
}
