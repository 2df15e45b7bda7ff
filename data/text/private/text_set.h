/* Texts, numbered in the order in which they were added, each with a count. A text stands in the set once, unless
 * hl_text_set_append added it again. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/lines.h"
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
 * All texts of the set must be in its table. HL_NO_MEMORY; the set can then only be freed. */
hl_status hl_text_set_add(hl_text_set *set, const char *text, size_t size, int64_t count, size_t *number);

/* Appends a text, which may be in the set already. It is not found until the caller adds its number to the table.
 * HL_NO_MEMORY. */
hl_status hl_text_set_append(hl_text_set *set, const char *text, size_t size);

/* The text with that number, with a zero byte after it, valid until the next text is added. */
hl_span hl_text_set_get(const hl_text_set *set, size_t number);

/* The number of the text; -1 if it is not in the set. */
int64_t hl_text_set_find(const hl_text_set *set, const char *text, size_t size);

/* Adds the texts of a set to another one, which is empty or counts nothing: the highest count first, ties by their
 * bytes, as long as the count is at least `least` and `to` has fewer than `size` texts. HL_NO_MEMORY. */
hl_status hl_text_set_add_most(const hl_text_set *set, int64_t least, size_t size, hl_text_set *to);

void hl_text_set_free(hl_text_set *set);
