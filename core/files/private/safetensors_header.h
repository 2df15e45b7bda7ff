/* The JSON header of a safetensors file. For the reader alone.
 *
 * The parser accepts only what the format has: one object. Its values are the tensors' entries {"dtype": string,
 * "shape": whole numbers, "data_offsets": two whole numbers}, and "__metadata__", an object of strings. It refuses
 * anything else as soon as it begins, so that no header needs more memory than a few times its own bytes. */
#pragma once

#include "core/files/private/safetensors_types.h"
#include "core/files/safetensors.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hl_safetensors_entry {
    const char *name; /* points into the header's text, as the metadata's strings do */
    hl_shape shape;
    const hl_safetensors_type *type;
    int64_t begin, end; /* the range of the data in the payload, bytes */
} hl_safetensors_entry;

typedef struct hl_safetensors_header {
    hl_safetensors_entry *entries; /* in the order of their data; owned, as are all fields below */
    const hl_safetensors_entry **by_name;
    int n_entries;
    hl_metadata_item *metadata; /* ordered by key */
    int n_metadata;
} hl_safetensors_header;

/* Reads `size` bytes of text. The text is changed, must be followed by a zero byte, and must outlive the header. The
 * tensors' data must fill a payload of `payload` bytes without gap or overlap. `path` is for messages. HL_BAD_FILE,
 * HL_NO_MEMORY. Free the header with hl_safetensors_header_free, also on failure. */
hl_status hl_safetensors_header_parse(const char *path, char *text, size_t size, uint64_t payload,
                                      hl_safetensors_header *header);

/* A zeroed header is allowed. */
void hl_safetensors_header_free(hl_safetensors_header *header);

/* The index of the tensor with that name, or -1. */
int hl_safetensors_header_find(const hl_safetensors_header *header, const char *name);

/* The metadata string of that key, or NULL. */
const char *hl_safetensors_header_metadata(const hl_safetensors_header *header, const char *key);
