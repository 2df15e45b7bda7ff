/* What the writer and the reader of safetensors files agree on; for these two alone. */
#ifndef HL_CORE_SAFETENSORS_FORMAT_H
#define HL_CORE_SAFETENSORS_FORMAT_H

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors files are little-endian");

/* The header of every file written here begins with these bytes, the checksum's digits and a quote. As the checksum
 * stands at a fixed place, before any text that varies, and "writer" next to it, no single wrong bit can hide both. */
#define CHECKSUM_PREFIX "{\"__metadata__\":{\"checksum\":\""
#define CHECKSUM_ZEROS "00000000"
#define WRITER "headlight"

enum {
    LENGTH_BYTES = 8, /* the header's length, before the header */
    CHECKSUM_DIGITS = sizeof CHECKSUM_ZEROS - 1,
    CHECKSUM_AT = LENGTH_BYTES + sizeof CHECKSUM_PREFIX - 1, /* of the digits, from the file's start */
};

#endif
