/* Where the regular expression of GPT-2 cuts a text: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|
 * ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
#pragma once

#include <stddef.h>

/* Returns the end of the match that begins at `begin` < size. The text is UTF-8. */
size_t hl_pretoken_end(const char *text, size_t size, size_t begin);
