/* Which part of a text, or which texts, are validation: pure functions, which nothing but the data decides. */
#ifndef HL_DATA_TEXT_SPLIT_H
#define HL_DATA_TEXT_SPLIT_H

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Sentences, pairs, rows: by a hash of their content, so that the same content is never in both splits, whatever its
 * place, the seed and the other examples. The hash of nothing is HL_CONTENT_NOTHING; adding parts one after the other
 * keeps their borders: ("ab", "c") and ("a", "bc") differ. */
#define HL_CONTENT_NOTHING UINT64_C(14695981039346656037)
uint64_t hl_content_add(uint64_t hash, const void *bytes, size_t size);

/* Whether content of that hash is validation, which `share` (0 .. 1) of all possible content is. */
bool hl_content_is_validation(uint64_t hash, double share);

/* Running text: the last part is validation. A window is `length` numbers and the one after them, the last target; it
 * lies in one part as a whole. */
typedef struct hl_windows {
    int64_t first;  /* where window 0 begins */
    int64_t count;  /* 0 where the part is too short for one */
    int64_t stride; /* window i begins at first + i * stride */
} hl_windows;

/* The windows of the text's training part, or of its validation part, which is the last floor(share * n) of the n
 * numbers. 0 <= share <= 1, length and stride at least 1. */
hl_windows hl_text_windows(int64_t n, double share, bool validation, int64_t length, int64_t stride);

HL_END_DECLS

#endif
