/* Unicode tables as in the `tokenizers` library; data/text/make_unicode_tables.py writes them. They are sorted by code
 * point. A code point that is in none of a table's entries has the value 0, or does not change. Read through
 * data/text/private/unicode.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct hl_code_range {
    uint32_t first;
    uint32_t last : 24, value : 8;
} hl_code_range;

/* Every codes.value-th code point, from the first on, becomes itself + by. */
typedef struct hl_code_run {
    hl_code_range codes;
    int32_t by;
} hl_code_run;

/* Each code point becomes codes.value characters, which lie end to end in hl_parts from index `at` on. */
typedef struct hl_code_parts {
    hl_code_range codes;
    uint32_t at;
} hl_code_parts;

/* The two characters become one. */
typedef struct hl_code_pair {
    uint32_t first, second, both;
} hl_code_pair;

enum { HL_MARK_IS_ACCENT = 128 }; /* stripping accents removes it */

extern const hl_code_range hl_bert_classes[]; /* bits of hl_bert_class */
extern const size_t hl_bert_classes_n;
extern const hl_code_range hl_marks[]; /* values of hl_combining_class, and the bit above */
extern const size_t hl_marks_n;
extern const hl_code_parts hl_decompositions[]; /* canonical, all that is not Hangul */
extern const size_t hl_decompositions_n;
extern const uint32_t hl_parts[];
extern const hl_code_pair hl_compositions[]; /* sorted by `first`, then by `second` */
extern const size_t hl_compositions_n;
extern const hl_code_run hl_bert_lower[]; /* lower case */
extern const size_t hl_bert_lower_n;
extern const hl_code_range hl_byte_level_kinds[]; /* values of hl_byte_level_kind */
extern const size_t hl_byte_level_kinds_n;
extern const hl_code_range hl_word_others[]; /* in a word, but not a letter or number; or a number, but not in a word */
extern const size_t hl_word_others_n;
extern const hl_code_range hl_cluster_classes[]; /* bits of hl_cluster_class */
extern const size_t hl_cluster_classes_n;
