/* An open safetensors file, and its JSON header. For the reader alone.
 *
 * The parser accepts only what the format has: one object. Its values are the tensors' entries {"dtype": string,
 * "shape": whole numbers, "data_offsets": two whole numbers}, and "__metadata__", an object of strings. It refuses
 * anything else as soon as it begins, so that no header needs more memory than a few times its own bytes. */
#pragma once

#include "core/files/private/safetensors_format.h"
#include "core/files/private/safetensors_types.h"
#include "core/files/safetensors.h"

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

typedef struct hl_safetensors_entry {
    const char *name; /* points into the header's text, as the metadata's strings do */
    hl_shape shape;
    const hl_safetensors_type *type;
    int64_t begin, end; /* the range of the data in the payload, bytes */
} hl_safetensors_entry;

/* Bytes read at once: few enough to be still in the cache when the checksum is computed from them. */
enum { HL_SAFETENSORS_PIECE = 1 << 15 /* bytes; whole numbers of every type that can be read */ };

/* Owns all that it points to. */
struct hl_safetensors {
    char *path;
    int fd;
    size_t size;                   /* of the whole file */
    size_t payload;                /* where it begins in the file */
    char *text;                    /* the header, with a zero byte after it; the parser changes it */
    hl_safetensors_entry *entries; /* in the order of their data */
    const hl_safetensors_entry **by_name;
    int n_entries;
    hl_metadata_item *metadata; /* ordered by key */
    int n_metadata;
    bool has_checksum;
    char checksum[HL_SAFETENSORS_CHECKSUM_DIGITS + 1]; /* as written in the header */
    uLong crc;                                         /* of everything before the payload */
    char piece[HL_SAFETENSORS_PIECE];                  /* for data that are not read directly to their destination */
};

/* Reads the text of the file's header: entries and metadata. The tensors' data must fill the payload without gap or
 * overlap. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_safetensors_header_parse(hl_safetensors *file);
