/* What show/private/packed.h packed, as a page reads it. */
#pragma once

#include "core/base/memory.h"

#include <check.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

/* Decodes base64 into `bytes`, which has room; returns how many. */
static inline size_t decoded(const char *text, uint8_t *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text), n = 0;
    ck_assert_uint_eq(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        uint32_t group = 0;
        for (size_t k = 0; k < 4; k++) {
            const char *digit = text[i + k] == '=' ? digits : strchr(digits, text[i + k]);
            ck_assert_ptr_nonnull(digit);
            group = group << 6 | (uint32_t)(digit - digits);
        }
        size_t count = text[i + 2] == '=' ? 1 : text[i + 3] == '=' ? 2 : 3;
        for (size_t k = 0; k < count; k++) {
            bytes[n++] = (uint8_t)(group >> (16 - 8 * k));
        }
    }
    return n;
}

/* Unpacks into `bytes`, which has room for `room`; returns how many there were. */
static inline size_t unpacked(const char *text, void *bytes, size_t room)
{
    uint8_t *deflated = hl_malloc(strlen(text) + 1);
    uLongf size = room;
    size_t length = decoded(text, deflated);
    ck_assert_int_eq(uncompress(bytes, &size, deflated, length), Z_OK);
    hl_free(deflated);
    return size;
}
