/* Which part of a text, or which texts, are for validation. These are pure functions that depend only on the data. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Sentences, pairs and rows are assigned by a hash of their content. So the same content is never in both splits, no
 * matter where it is, what the seed is and which other examples exist. The hash of nothing is HL_CONTENT_NOTHING.
 * Adding parts one after the other keeps their borders: ("ab", "c") and ("a", "bc") differ. */
#define HL_CONTENT_NOTHING UINT64_C(14695981039346656037)
uint64_t hl_content_add(uint64_t hash, const void *bytes, size_t size);

/* Whether content with that hash is for validation. A share `share` (0 .. 1) of all possible content is. */
bool hl_content_is_validation(uint64_t hash, double share);

/* In running text, the last part is for validation. A window is `length` numbers and the number after them, the last
 * target. A window lies wholly in one part. */
typedef struct hl_windows {
    int64_t first;  /* where window 0 begins */
    int64_t count;  /* 0 if the part is too short for a window */
    int64_t stride; /* window i begins at first + i * stride */
} hl_windows;

/* The windows in the text's training part, or in its validation part, which is the last floor(share * n) of the n
 * numbers. 0 <= share <= 1; length and stride at least 1. */
hl_windows hl_text_windows(int64_t n, double share, bool validation, int64_t length, int64_t stride);

HL_END_DECLS
