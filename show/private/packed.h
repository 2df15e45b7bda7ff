/* Packs bytes for a text: deflated (zlib's format), then base64. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Packs bytes that come piece by piece and adds the result to a text as they come. */
typedef struct hl_packer {
    hl_text *text; /* not owned */
    z_stream stream;
    unsigned char deflated[3 << 10]; /* whole groups of base64 */
} hl_packer;

/* Free it with hl_packer_end. HL_NO_MEMORY is left on the text. */
void hl_packer_begin(hl_packer *packer, hl_text *text);
void hl_packer_add(hl_packer *packer, const void *bytes, size_t size);
void hl_packer_end(hl_packer *packer);

/* The packed text in new memory, ended by a zero byte: hl_free. NULL when out of memory. The text depends on the bytes
 * alone, not on the pieces in which a packer gets them. */
char *hl_packed(const void *bytes, size_t size);

/* One of several that are packed at once. */
typedef struct hl_packed_block {
    const void *bytes;
    size_t size;
    char *packed; /* as by hl_packed */
} hl_packed_block;

/* Packs n blocks, at most HL_MAX_THREADS, each on a thread. False when out of memory: none is packed then. */
bool hl_packed_all(hl_packed_block *blocks, int64_t n);

/* Adds the base64 of `size` bytes, not deflated. HL_NO_MEMORY is left on the text. */
void hl_base64(hl_text *text, const void *bytes, size_t size);
