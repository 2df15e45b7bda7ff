/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF (Unicode 15, table 3-7). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes, 1 to 4, of the text's first character, and writes the character to *code (which may be
 * NULL). Returns 0 if the bytes are not a character, or if the character is cut after `size` bytes. size is at least
 * 1. */
size_t hl_utf8_decode(const char *text, size_t size, uint32_t *code);
