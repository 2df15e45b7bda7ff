/* The JSON header of a safetensors file; for the reader alone.
 *
 * The parser accepts only what the format has: one object, whose values are tensors' entries {"dtype": string, "shape":
 * whole numbers, "data_offsets": two whole numbers} and "__metadata__", an object of strings. It refuses anything else
 * where that begins, so that no header needs more memory than a few times its own bytes. */
#ifndef HL_CORE_FILES_PRIVATE_SAFETENSORS_HEADER_H
#define HL_CORE_FILES_PRIVATE_SAFETENSORS_HEADER_H

#include "core/files/private/safetensors_types.h"
#include "core/files/safetensors.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hl_safetensors_entry {
    const char *name; /* in the header's text, as the metadata's strings are */
    hl_shape shape;
    const hl_safetensors_type *type;
    int64_t begin, end; /* the range of the data in the payload, bytes */
} hl_safetensors_entry;

typedef struct hl_safetensors_header {
    hl_safetensors_entry *entries; /* in the order of their data; owned, as all below */
    const hl_safetensors_entry **by_name;
    int n_entries;
    hl_metadata_item *metadata; /* ordered by key */
    int n_metadata;
} hl_safetensors_header;

/* Reads `size` bytes of text, which are changed, must be followed by a zero byte, and must outlive the header; the
 * tensors' data must fill a payload of `payload` bytes without gap or overlap. `path` is for the messages. HL_BAD_FILE,
 * HL_NO_MEMORY. To be ended by hl_safetensors_header_free, whatever this returns. */
hl_status hl_safetensors_header_parse(const char *path, char *text, size_t size, uint64_t payload,
                                      hl_safetensors_header *header);

/* A zeroed one is allowed. */
void hl_safetensors_header_free(hl_safetensors_header *header);

/* The index of the tensor of that name, or -1. */
int hl_safetensors_header_find(const hl_safetensors_header *header, const char *name);

/* The metadata's string of that key, or NULL. */
const char *hl_safetensors_header_metadata(const hl_safetensors_header *header, const char *key);

#endif
