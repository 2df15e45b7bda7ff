#include "data/text/private/tokens_parts.h"
#include "data/text/unicode/private/unicode.h"
#include "tests/check_suite.h"

#include <string.h>

static uint64_t hash_number(uint64_t hash, uint32_t number)
{
    char bytes[4] = { (char)number, (char)(number >> 8), (char)(number >> 16), (char)(number >> 24) };
    return hl_hash(hash, bytes, sizeof bytes);
}

/* check_tokens.py and check_unigram.py compare with the library; this is a digest of what they then found equal. */
TEST(every_code_point_is_that_of_the_reference)
{
    uint64_t digest = HL_HASH;
    for (uint32_t code = 0; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF) {
            continue;
        }
        uint32_t base[HL_BASE_MAX], lower[2];
        int n = hl_bert_base(code, base), n_lower = hl_bert_lower_case(code, lower);
        ck_assert_int_le(n, HL_BASE_MAX);
        digest = hash_number(digest, hl_bert_class(code) | hl_bert_mark(code) << 8 |
                                         (uint32_t)hl_byte_level_kind(code) << 16 | (uint32_t)n << 24);
        digest = hash_number(digest, hl_combining_class(code) | hl_cluster_class(code) << 8 |
                                         (uint32_t)hl_is_of_word(code) << 16);
        for (int i = 0; i < n; i++) {
            digest = hash_number(digest, base[i]);
        }
        for (int i = 0; i < n_lower; i++) {
            digest = hash_number(digest, lower[i]);
        }
    }
    ck_assert_uint_eq(digest, UINT64_C(10295992874351210480));
}

TEST(utf8_of_every_length)
{
    static const uint32_t codes[] = { 0x24, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF };
    static const char *const bytes[] = {
        "$", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"
    };
    for (int i = 0; i < ROWS(codes); i++) {
        char written[4];
        size_t size = hl_utf8_encode(codes[i], written);
        ck_assert_uint_eq(size, strlen(bytes[i]));
        ck_assert_mem_eq(written, bytes[i], size);
    }
}

SUITE("unicode")
