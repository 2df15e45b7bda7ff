/* Unicode tables as in the `tokenizers` library; data/text/unicode/make_tables.py writes them. They are sorted by code
 * point. A code point that is in none of a table's entries does not change. Read through
 * data/text/unicode/private/unicode.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct hl_code_range {
    uint32_t first;
    uint32_t last : 24, value : 8;
} hl_code_range;

enum { HL_MARK_IS_ACCENT = 128, HL_LATIN = 256 };

/* All that characters can be; most share theirs with many others. */
typedef struct hl_code_class {
    unsigned char bert;       /* bits of hl_bert_class */
    unsigned char mark;       /* hl_combining_class, and HL_MARK_IS_ACCENT: stripping accents removes it */
    unsigned char byte_level; /* hl_byte_level_kind */
    unsigned char of_word;    /* hl_is_of_word */
    unsigned char cluster;    /* bits of hl_cluster_class */
} hl_code_class;

/* Every codes.value-th code point, from the first on, becomes itself + by. */
typedef struct hl_code_run {
    hl_code_range codes;
    int32_t by;
} hl_code_run;

/* Each code point becomes codes.value characters, which lie end to end in hl_parts from index `at` on. The first of
 * them may become several itself. */
typedef struct hl_code_parts {
    hl_code_range codes;
    uint32_t at;
} hl_code_parts;

extern const hl_code_class hl_code_classes[];  /* the first has no properties */
extern const unsigned char hl_latin_classes[]; /* of the first HL_LATIN code points: indices of their classes */
extern const uint32_t hl_class_starts[]; /* of the others: where a class begins, times 256, plus the class's index */
extern const size_t hl_class_starts_n;
extern const hl_code_parts hl_decompositions[]; /* canonical, all that is not Hangul; `at` grows, too */
extern const size_t hl_decompositions_n;
extern const uint32_t hl_parts[];
extern const uint16_t hl_compositions[]; /* indices in hl_parts of two characters that become one, sorted by the two */
extern const size_t hl_compositions_n;
extern const hl_code_run hl_bert_lower[]; /* lower case */
extern const size_t hl_bert_lower_n;

/* The entry that contains the code, in a table whose entries begin with a range; NULL if there is none. */
const void *hl_code_entry(const void *table, size_t n, size_t size, uint32_t code);

/* Korean syllables are in no table: each is a leading consonant, a vowel and perhaps a trailing consonant (Unicode 15,
 * section 3.12). */
enum {
    HL_SYLLABLE = 0xAC00,
    HL_LEADINGS = 19,
    HL_VOWELS = 21,
    HL_TRAILINGS = 28,
    HL_SYLLABLES = HL_LEADINGS * HL_VOWELS * HL_TRAILINGS
};
