/* Texts as files, plain and gzipped, and readers' refusals. */
#pragma once

#include "core/base/status.h"
#include "tests/scratch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The bytes as one gzip member, in new memory (free); *packed: its size. */
static inline unsigned char *gzipped(const void *bytes, size_t size, size_t *packed)
{
    z_stream stream = { .next_in = (unsigned char *)bytes, .avail_in = (uInt)size };
    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, size);
    unsigned char *out = malloc(room);
    ck_assert_ptr_nonnull(out);
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *packed = room - stream.avail_out;
    deflateEnd(&stream);
    return out;
}

/* The status is of this code and its text "<path><rest>". */
static inline void refused_as(hl_status status, hl_code code, const char *path, const char *rest)
{
    char text[2 * HL_STATUS_TEXT];
    snprintf(text, sizeof text, "%s%s", path, rest);
    text[HL_STATUS_TEXT - 1] = '\0';
    ck_assert_int_eq(status.code, code);
    ck_assert_str_eq(status.text, text);
}
