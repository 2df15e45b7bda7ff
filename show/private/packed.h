/* Bytes as a text can carry them: deflated (zlib's format), then base64. */
#ifndef HL_SHOW_PRIVATE_PACKED_H
#define HL_SHOW_PRIVATE_PACKED_H

#include "core/declarations.h"
#include "core/status.h"
#include "core/text.h"

#include <stddef.h>
#include <zlib.h>

HL_BEGIN_DECLS

/* Packs what comes piece by piece, and adds it to a text as it goes. */
typedef struct hl_packer {
    hl_text *text; /* not owned */
    z_stream stream;
    unsigned char deflated[3 << 10]; /* whole groups of base64 */
} hl_packer;

/* To be ended by hl_packer_end. HL_NO_MEMORY is left on the text. */
void hl_packer_begin(hl_packer *packer, hl_text *text);
void hl_packer_add(hl_packer *packer, const void *bytes, size_t size);
void hl_packer_end(hl_packer *packer);

/* The packed text in new memory, ended by a zero byte: hl_free. NULL when out of memory. The same bytes always give the
 * same text, in whatever pieces they come. */
char *hl_packed(const void *bytes, size_t size);

/* Base64 alone, of `size` bytes; likewise. */
char *hl_base64(const void *bytes, size_t size);

HL_END_DECLS

#endif
