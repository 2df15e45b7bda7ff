/* SentencePiece's table of replacements, "precompiled_charsmap": the keys are in a trie, a double array of 32-bit units
 * as the Darts-clone library makes it, and its values are offsets among the replacements. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one replaces nothing. Owned by the caller: hl_charsmap_free. */
typedef struct hl_charsmap {
    char *base64;    /* what it was read from; NULL: there is none */
    uint32_t *units; /* the trie */
    uint32_t n_units;
    const char *replacements; /* each with a zero byte; in the memory of `units` */
    size_t size;              /* of all replacements */
    bool stays[128];          /* by ASCII code: whether nothing replaces the character */
} hl_charsmap;

/* Reads it from base64 and checks all that can be reached in its trie. HL_BAD_FILE, "<path>: precompiled_charsmap:
 * <what is wrong>"; HL_NO_MEMORY. The map must be freed after a failure, too. */
hl_status hl_charsmap_read(const char *path, const char *base64, hl_charsmap *map);

void hl_charsmap_free(hl_charsmap *map);

/* The replacement of the shortest key with which the text begins, as a text with a zero byte; NULL if there is none. */
const char *hl_charsmap_find(const hl_charsmap *map, const char *text, size_t size);
