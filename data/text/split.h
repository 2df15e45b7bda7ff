/* Which texts are for validation. These are pure functions that depend only on the data. */
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

HL_END_DECLS
