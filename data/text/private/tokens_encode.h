/* Cuts one text or word into pieces, with a function for each kind; hl_tokens_encode chooses. All texts are UTF-8
 * (except for bytes) and shorter than 2 GiB. The functions add pieces, whose offsets are those in the text plus
 * `base`. */
#pragma once

#include "core/base/private/utf8.h"
#include "core/base/status.h"
#include "data/text/private/heap.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A character as the normaliser leaves it, and the bytes of the text from which it comes. */
typedef struct hl_character {
    uint32_t code, bytes;
    size_t begin;
} hl_character;

/* A piece that may still be merged with its right neighbour. */
typedef struct hl_symbol {
    int32_t id, left, right; /* id -1: merged into the symbol before; left, right: indices, -1 at the ends */
    uint32_t begin, end;
} hl_symbol;

/* The bytes of the text from which a byte of the normalized text comes. */
typedef struct hl_origin {
    uint32_t begin, end;
} hl_origin;

/* A character of a decomposed text: its combining class, and how many characters of the text it replaces. */
typedef struct hl_part {
    uint32_t code, replaces;
    unsigned class;
} hl_part;

/* The best cut of a word's bytes up to one of them: its last piece, and the sum of its scores. */
typedef struct hl_best_cut {
    double score;
    uint32_t begin;
    int32_t id; /* -1: there is no cut yet */
} hl_best_cut;

/* Arrays for each use, which grow. */
typedef struct hl_tokens_scratch {
    hl_character *characters;
    char *word;       /* the UTF-8 of some characters */
    uint32_t *ends;   /* for each character of the word: its end in the word */
    uint64_t *hashes; /* the hash of the bytes up to that end */
    hl_symbol *symbols;
    hl_heap heap; /* the numbers are indices of left symbols, the keys ranks */
    char *plain;  /* the UTF-8 of all characters; of unigram and NFC, n_plain bytes */
    hl_origin *origins;
    hl_part *parts; /* of NFC: a starter and its marks */
    hl_best_cut *best;
    hl_piece *wrapped;
    size_t n_characters, characters_capacity, word_capacity, ends_capacity, hashes_capacity, symbols_capacity, n_plain,
        plain_capacity, origins_capacity, n_parts, parts_capacity, best_capacity, wrapped_capacity;
} hl_tokens_scratch;

/* Whether a text can be cut: HL_INVALID if it is not UTF-8 (bytes accepts any) or not shorter than 2 GiB. */
hl_status hl_tokens_check_text(hl_tokens_kind kind, const char *text, size_t size);

/* Writes the text's characters, normalised by the rules, to scratch->characters. HL_NO_MEMORY. */
hl_status hl_tokens_normalize(const hl_tokens_rules *rules, const char *text, size_t size, hl_tokens_scratch *scratch);

/* Writes characters first .. end - 1 as UTF-8 to scratch->word, with room for their ends and hashes. HL_NO_MEMORY. */
hl_status hl_tokens_word_bytes(hl_tokens_scratch *scratch, size_t first, size_t end, size_t *size);

/* Finds the next word from character *end on: characters *first .. *end - 1. In chars it is one character. In words,
 * white space separates words; in wordpiece too, but punctuation marks are words. false after the last one. */
bool hl_tokens_next_word(hl_tokens_kind kind, const hl_tokens_scratch *scratch, size_t *first, size_t *end);

/* Adds a piece. HL_NO_MEMORY. */
hl_status hl_pieces_add(hl_pieces *pieces, int32_t id, size_t begin, size_t end);

/* Adds the piece that replaces characters first .. end - 1 of the scratch. HL_NO_MEMORY. */
hl_status hl_pieces_add_characters(hl_pieces *pieces, int32_t id, size_t first, size_t end, size_t base);

/* HL_NO_MEMORY. */
hl_status hl_tokens_encode_wordpiece(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                                     hl_pieces *pieces);

/* The bytes of the text's first character. */
static inline size_t hl_character_bytes(const char *text, size_t size)
{
    return (unsigned char)*text < 0x80 ? 1 : hl_utf8_decode(text, size, NULL);
}

/* The bytes of the white space that begins at `at`; 0 if none does. */
size_t hl_white_bytes(const char *text, size_t size, size_t at);

/* Adds bytes to scratch->plain, which come from `origin`. HL_INVALID if it has 2 GiB then; HL_NO_MEMORY. */
hl_status hl_tokens_add_plain(hl_tokens_scratch *scratch, const char *bytes, size_t size, hl_origin origin);

/* Whether NFC is sure not to change the text: all its characters are below U+0300. */
bool hl_is_nfc(const char *text, size_t size);

/* Writes the text in NFC to scratch->plain. HL_INVALID if that has 2 GiB; HL_NO_MEMORY. */
hl_status hl_tokens_normalize_nfc(const char *text, size_t size, hl_tokens_scratch *scratch);

/* Writes the text, normalized by unigram's rules, to scratch->plain. HL_INVALID if that has 2 GiB; HL_NO_MEMORY. */
hl_status hl_tokens_normalize_unigram(const hl_unigram *unigram, const char *text, size_t size,
                                      hl_tokens_scratch *scratch);

/* unigram; `space`: one comes before the text's first byte. Fails also if there is no unknown token: HL_INVALID. */
hl_status hl_tokens_encode_unigram(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool specials,
                                   bool space, hl_pieces *pieces);

/* bpe and bytes; with `space` a space comes before the text. */
hl_status hl_tokens_encode_bpe(const hl_tokens *tokens, const char *text, size_t size, size_t base, bool space,
                               hl_pieces *pieces);
