/* Cuts one text or word into pieces, with a function for each kind; hl_tokens_encode chooses. All texts are UTF-8
 * (except for bytes) and shorter than 2 GiB. */
#pragma once

#include "core/base/private/utf8.h"
#include "core/base/status.h"
#include "data/text/private/heap.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text that is encoded on its own. */
typedef struct hl_tokens_part {
    const char *text;
    size_t size;
    size_t base;   /* the offset of its first byte: pieces get theirs in the text that it is a part of */
    bool specials; /* whether special tokens are found in it */
    bool space;    /* bpe, bytes, unigram: whether a space may come before it */
} hl_tokens_part;

/* A piece that may still be merged with its right neighbour. */
typedef struct hl_symbol {
    int32_t id, left, right; /* id -1: merged into the symbol before; left, right: indices, -1 at the ends */
    uint32_t begin, end;
} hl_symbol;

/* The bytes of the text from which a byte of the normalized text comes. */
typedef struct hl_origin {
    uint32_t begin, end;
} hl_origin;

/* A decomposed character that waits for those after it: BERT's and NFC's marks, and NFC's starter before them. */
typedef struct hl_mark {
    uint32_t code;
    unsigned class;    /* its rank in the canonical order; 0: a starter */
    uint32_t replaces; /* NFC: how many characters of the text it replaces */
    hl_origin origin;  /* BERT's */
} hl_mark;

/* The best cut of a word's bytes up to one of them: its last piece, and the sum of its scores. */
typedef struct hl_best_cut {
    double score;
    uint32_t begin;
    int32_t id; /* -1: there is no cut yet */
} hl_best_cut;

/* Arrays for each use, which grow. */
typedef struct hl_tokens_scratch {
    char *plain; /* the normalized text, n_plain bytes */
    hl_origin *origins;
    size_t base; /* where the text begins from which it comes */
    hl_mark *marks;
    char *word;       /* bpe, unigram: a text or word with a space before it */
    uint64_t *hashes; /* of a word's beginnings */
    hl_symbol *symbols;
    hl_heap heap; /* the numbers are indices of left symbols, the keys ranks */
    hl_best_cut *best;
    hl_pieces wrapped;
    size_t n_plain, plain_capacity, origins_capacity, n_marks, marks_capacity, word_capacity, hashes_capacity,
        symbols_capacity, best_capacity;
} hl_tokens_scratch;

/* Whether a text can be cut: HL_INVALID if it is not UTF-8 (bytes accepts any) or not shorter than 2 GiB. */
hl_status hl_tokens_check_text(hl_tokens_kind kind, const char *text, size_t size);

/* Replaces the part by its normalized text in scratch->plain, if the tokens' rules may change it. HL_INVALID if that
 * has 2 GiB; HL_NO_MEMORY. */
hl_status hl_tokens_normalize(const hl_tokens *tokens, hl_tokens_part *part, hl_tokens_scratch *scratch);

/* Adds bytes to scratch->plain, which come from `origin`. Fails as hl_tokens_normalize. */
hl_status hl_tokens_add_plain(hl_tokens_scratch *scratch, const char *bytes, size_t size, hl_origin origin);

/* Adds the text, normalized by unigram's rules, to scratch->plain. Fails as hl_tokens_normalize. */
hl_status hl_tokens_normalize_unigram(const hl_unigram *unigram, const char *text, size_t size,
                                      hl_tokens_scratch *scratch);

/* Whether NFC is sure not to change the text: all its characters are below U+0300. */
bool hl_is_nfc(const char *text, size_t size);

/* Finds the next word from byte *end on: bytes *first .. *end - 1. In chars it is one character. In words, white space
 * separates words; in wordpiece too, but punctuation marks are words. false after the last one. */
bool hl_tokens_next_word(hl_tokens_kind kind, const char *text, size_t size, size_t *first, size_t *end);

/* Adds a piece. HL_NO_MEMORY. */
hl_status hl_pieces_add(hl_pieces *pieces, int32_t id, size_t begin, size_t end);

/* A word of wordpiece. HL_NO_MEMORY. */
hl_status hl_tokens_encode_wordpiece(const hl_tokens *tokens, const hl_tokens_part *word, hl_pieces *pieces);

/* unigram. Fails also if there is no unknown token: HL_INVALID. */
hl_status hl_tokens_encode_unigram(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces);

/* bpe and bytes. HL_NO_MEMORY. */
hl_status hl_tokens_encode_bpe(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces);

/* Where the regular expression of GPT-2 cuts a text: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|
 * ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * Returns the end of the match that begins at `begin` < size. */
size_t hl_pretoken_end(const char *text, size_t size, size_t begin);

/* The bytes of the text's first character. */
static inline size_t hl_character_bytes(const char *text, size_t size)
{
    return (unsigned char)*text < 0x80 ? 1 : hl_utf8_decode(text, size, NULL);
}
