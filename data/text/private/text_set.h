/* Different texts, numbered in the order of first occurrence, each with a count. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/private/number_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hl_set_text {
    size_t start, size; /* in the bytes of the set */
    int64_t count;
} hl_set_text;

/* A zeroed set is empty. Owned by the caller: hl_text_set_free. */
typedef struct hl_text_set {
    hl_text bytes;
    hl_set_text *at;
    size_t n, capacity;
    hl_number_table table;
} hl_text_set;

/* Adds `count` to the text's count, which is 0 if the text is new; writes its number to *number (NULL is allowed).
 * HL_NO_MEMORY. */
hl_status hl_text_set_add(hl_text_set *set, const char *text, size_t size, int64_t count, size_t *number);

/* The text with that number, size bytes without a zero byte, valid until the next text is added. */
const char *hl_text_set_get(const hl_text_set *set, size_t number, size_t *size);

/* Whether the text is in the set. */
bool hl_text_set_has(const hl_text_set *set, const char *text, size_t size);

/* The numbers, in new memory, the highest count first, ties by their bytes. Owned by the caller: hl_free.
 * HL_NO_MEMORY. */
hl_status hl_text_set_by_count(const hl_text_set *set, size_t **numbers);

void hl_text_set_free(hl_text_set *set);
