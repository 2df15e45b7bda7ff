/* What the tokenizers need to know about a character. It equals version 0.23.3 of the `tokenizers` library on every
 * code point: its NFC, BertNormalizer and BertPreTokenizer, the regular expression of its ByteLevel, single_word, and
 * the clusters of its Precompiled. Codes are Unicode code points up to 0x10FFFF without surrogates. But for that of
 * memory, nothing here can fail. */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits. A character that cleaning drops may also be white space (U+000B). */
enum { HL_BERT_DROPPED = 1, HL_BERT_WHITE = 2, HL_BERT_PUNCTUATION = 4, HL_BERT_CJK = 8 };
unsigned hl_bert_class(uint32_t code);

/* What stripping accents does with a mark. HL_MARK_REMOVED: it removes the mark. HL_STARTER_REMOVED: the removed mark
 * also separates the marks before it from those after it. Otherwise the mark stays, and the value is its rank in the
 * canonical order, 1 or more. 0: not a mark. */
enum { HL_STARTER_REMOVED = 254, HL_MARK_REMOVED = 255 };
unsigned hl_bert_mark(uint32_t code);

/* The rank of a mark in the canonical order, 1 to 127. 0: a starter. It holds for decomposed characters. */
unsigned hl_combining_class(uint32_t code);

/* The canonical decomposition. Writes the characters and returns how many: 1 if it is the character itself. */
enum { HL_PARTS_MAX = 4 };
int hl_decompose(uint32_t code, uint32_t parts[HL_PARTS_MAX]);

/* The character that NFC makes of these two; 0 if there is none. */
uint32_t hl_compose(uint32_t first, uint32_t second);

/* The canonical decomposition, without the marks that hl_bert_mark removes. Writes the characters and returns how
 * many. */
enum { HL_BASE_MAX = 3 };
int hl_bert_base(uint32_t code, uint32_t base[HL_BASE_MAX]);

/* Lower case. Writes the characters and returns how many, 1 or 2. */
int hl_bert_lower_case(uint32_t code, uint32_t lower[2]);

/* Adds the text in lower case (hl_bert_lower_case). Bytes that are not UTF-8 stay. */
void hl_add_lower_case(hl_text *text, const char *bytes, size_t size);

/* The classes \p{L}, \p{N} and \s of ByteLevel's regular expression. */
typedef enum hl_kind { HL_KIND_OTHER, HL_KIND_LETTER, HL_KIND_NUMBER, HL_KIND_WHITE } hl_kind;
hl_kind hl_byte_level_kind(uint32_t code);

/* Whether single_word counts it as a character of a word: \w in the library's regular expressions. */
bool hl_is_of_word(uint32_t code);

/* Bits: what a character does in a grapheme cluster (Unicode 16, annex 29). Control: it is alone. */
enum {
    HL_CLUSTER_JOINS = 1,      /* no cluster begins with it, unless a control character is before it */
    HL_CLUSTER_CONTROL = 2,    /* it is alone; CR and LF are together */
    HL_CLUSTER_PREPENDED = 4,  /* the next character joins it */
    HL_CLUSTER_PICTURE = 8,    /* joins a picture and a zero-width joiner */
    HL_CLUSTER_CONSONANT = 16, /* joins a consonant and a linker, even if characters that conjoin are between them */
    HL_CLUSTER_LINKER = 32,
    HL_CLUSTER_CONJOINS = 64,
};
unsigned hl_cluster_class(uint32_t code);

/* Returns the end of the grapheme cluster that begins at `begin` < size. The text is UTF-8. Precompiled treats
 * clusters of less than 6 bytes in another way than all others. So two regional indicators, of 8 bytes, are two
 * clusters here. */
size_t hl_cluster_end(const char *text, size_t size, size_t begin);

/* Writes the character as UTF-8 and returns the number of bytes, 1 to 4. */
size_t hl_utf8_encode(uint32_t code, char bytes[4]);

/* Whether the byte is not the first one of a character. */
static inline bool hl_continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The beginning of the character that ends at byte `at`, which is at least 1. */
size_t hl_utf8_before(const char *text, size_t at);

/* The bytes of the white space that begins at `at`; 0 if none does. */
size_t hl_white_bytes(const char *text, size_t size, size_t at);

/* The beginning of the white space that ends at `at`, not before `least`. */
size_t hl_white_begin(const char *text, size_t least, size_t at);
