/* Constants that the writer and the reader of safetensors files share. For these two alone. */
#pragma once

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors files are little-endian");

/* The header of every file written here begins with these bytes, the checksum's digits and a quote. The checksum is at
 * a fixed position, before any text that varies, and "writer" is next to it. So no single wrong bit can hide both. */
#define HL_SAFETENSORS_CHECKSUM_PREFIX "{\"__metadata__\":{\"checksum\":\""
#define HL_SAFETENSORS_CHECKSUM_ZEROS "00000000"
#define HL_SAFETENSORS_WRITER "headlight"

/* The type of hl_real. */
#ifdef HL_DOUBLE
#define HL_SAFETENSORS_DTYPE "F64"
#else
#define HL_SAFETENSORS_DTYPE "F32"
#endif

enum {
    HL_SAFETENSORS_LENGTH_BYTES = 8, /* the header's length, before the header */
    HL_SAFETENSORS_CHECKSUM_DIGITS = sizeof HL_SAFETENSORS_CHECKSUM_ZEROS - 1,
    HL_SAFETENSORS_CHECKSUM_AT = HL_SAFETENSORS_LENGTH_BYTES + sizeof HL_SAFETENSORS_CHECKSUM_PREFIX -
                                 1, /* the position of the digits, from the file's start */
};
