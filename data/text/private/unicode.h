/* What the tokenizers need to know of a character, equal on every code point to version 0.23.3 of the `tokenizers`
 * library: of its BertNormalizer and BertPreTokenizer, of the regular expression of its ByteLevel, and of single_word.
 * Codes are Unicode code points up to 0x10FFFF without surrogates. Nothing here can fail. */
#ifndef HL_DATA_TEXT_PRIVATE_UNICODE_H
#define HL_DATA_TEXT_PRIVATE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits. A character that cleaning drops may be white space as well (U+000B). */
enum { HL_BERT_DROPPED = 1, HL_BERT_WHITE = 2, HL_BERT_PUNCTUATION = 4, HL_BERT_CJK = 8 };
unsigned hl_bert_class(uint32_t code);

/* What stripping accents does with a mark: HL_MARK_REMOVED; HL_STARTER_REMOVED where it also separates the marks before
 * it from those after it; else, of a mark that stays, its place in the canonical order, 1 or more. 0: no mark. */
enum { HL_STARTER_REMOVED = 254, HL_MARK_REMOVED = 255 };
unsigned hl_bert_mark(uint32_t code);

/* The canonical decomposition without what hl_bert_mark says is removed: writes the characters, returns how many. */
enum { HL_BASE_MAX = 3 };
int hl_bert_base(uint32_t code, uint32_t base[HL_BASE_MAX]);

/* Lower case: writes the characters, returns how many, 1 or 2. */
int hl_bert_lower_case(uint32_t code, uint32_t lower[2]);

/* The classes \p{L}, \p{N} and \s of ByteLevel's regular expression. */
typedef enum hl_kind { HL_KIND_OTHER, HL_KIND_LETTER, HL_KIND_NUMBER, HL_KIND_WHITE } hl_kind;
hl_kind hl_byte_level_kind(uint32_t code);

/* Whether single_word takes it for a character of a word: \w of the library's regular expressions. */
bool hl_is_of_word(uint32_t code);

/* Writes the character as UTF-8, returns the bytes, 1 to 4. */
size_t hl_utf8_encode(uint32_t code, char bytes[4]);

#endif
