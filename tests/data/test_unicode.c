#include "data/text/private/tokens_parts.h"
#include "data/text/unicode/private/unicode.h"
#include "tests/check_suite.h"

#include <string.h>

static uint64_t hash_number(uint64_t hash, uint32_t number)
{
    char bytes[4] = { (char)number, (char)(number >> 8), (char)(number >> 16), (char)(number >> 24) };
    return hl_hash(hash, bytes, sizeof bytes);
}

/* check_tokens.py compares every code point with the library; this is a digest of what it then found equal. */
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
        for (int i = 0; i < n; i++) {
            digest = hash_number(digest, base[i]);
        }
        for (int i = 0; i < n_lower; i++) {
            digest = hash_number(digest, lower[i]);
        }
    }
    ck_assert_uint_eq(digest, UINT64_C(4111844418239608558));
}

TEST(single_characters)
{
    uint32_t base[HL_BASE_MAX], lower[2];
    ck_assert_uint_eq(hl_bert_class('a'), 0);
    ck_assert_uint_eq(hl_bert_class(0xB), HL_BERT_DROPPED | HL_BERT_WHITE);
    ck_assert_uint_eq(hl_bert_class(0x200B), HL_BERT_DROPPED);
    ck_assert_uint_eq(hl_bert_class('$'), HL_BERT_PUNCTUATION);
    ck_assert_uint_eq(hl_bert_class(0x2B920), HL_BERT_CJK); /* Google wrote 2B820 */
    ck_assert_uint_eq(hl_bert_class(0x2B91F), 0);
    ck_assert_uint_eq(hl_bert_mark(0x301), HL_MARK_REMOVED);
    ck_assert_uint_eq(hl_bert_mark(0x34F), HL_STARTER_REMOVED);
    ck_assert_uint_eq(hl_bert_mark(0xC48), HL_STARTER_REMOVED);   /* a starter and a mark */
    ck_assert_uint_lt(hl_bert_mark(0x1B44), hl_bert_mark(0x8D4)); /* classes 9 and 230, both stay */
    ck_assert_int_eq(hl_bert_base(0xE9, base), 1);
    ck_assert_uint_eq(base[0], 'e');
    ck_assert_int_eq(hl_bert_base(0xD55C, base), 3); /* a Hangul syllable */
    ck_assert_uint_eq(base[2], 0x11AB);
    ck_assert_int_eq(hl_bert_base(0xAC00, base), 2);
    ck_assert_int_eq(hl_bert_lower_case(0x130, lower), 2);
    ck_assert_uint_eq(lower[1], 0x307);
    ck_assert_int_eq(hl_bert_lower_case(0x101, lower), 1);
    ck_assert_uint_eq(lower[0], 0x101);
    ck_assert_int_eq((int)hl_byte_level_kind(0xBD), HL_KIND_NUMBER);
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
