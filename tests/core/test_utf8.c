#include "core/base/private/utf8.h"
#include "tests/check_suite.h"

#include <stdbool.h>

#include <string.h>

/* Unicode's own table of well-formed sequences, written as code points: the encoder that every one is compared with. */
static size_t encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = length - 1; i > 0; i--, code >>= 6) {
        bytes[i] = (char)(0x80 | (code & 0x3f));
    }
    bytes[0] = (char)(lead[length] | code);
    return length;
}

TEST(every_character_is_read_and_none_that_is_cut_short)
{
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char bytes[4];
        size_t length = encode(code, bytes);
        uint32_t read = 1;
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        ck_assert_uint_eq(hl_utf8_decode(bytes, length, &read), surrogate ? 0 : length);
        ck_assert_uint_eq(read, surrogate ? 1 : code);
        ck_assert_uint_eq(hl_utf8_decode(bytes, length > 1 ? length - 1 : 1, NULL), length > 1 ? 0 : 1);
    }
}

TEST(what_is_no_utf8_is_none)
{
    static const char *const wrong[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xe0\x80\x80",
        "\xe0\x9f\xbf",
        "\xed\xa0\x80",
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        "\xc2\x20",
        "\xe1\x80\x20",
    };
    for (int i = 0; i < ROWS(wrong); i++) {
        ck_assert_uint_eq(hl_utf8_decode(wrong[i], strlen(wrong[i]), NULL), 0);
    }
}

SUITE("utf8")
