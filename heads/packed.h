/* Bytes as a text can carry them: deflated (zlib's format), then base64. */
#ifndef HL_HEADS_PACKED_H
#define HL_HEADS_PACKED_H

#include "core/declarations.h"

#include <stddef.h>

HL_BEGIN_DECLS

/* The packed text in new memory, ended by a zero byte: hl_free. NULL when out of memory. The same bytes always give the
 * same text. */
char *hl_packed(const void *bytes, size_t size);

/* Base64 alone, of `size` bytes; likewise. */
char *hl_base64(const void *bytes, size_t size);

HL_END_DECLS

#endif
