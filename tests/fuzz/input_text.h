/* The input of a fuzzer as a text. */
#pragma once

#include "tests/fuzz/fuzz.h"

#include <string.h>

/* The bytes with a zero byte after them, in memory of that size, to be freed by free(). */
static inline char *input_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}
