#include "core/base/status.h"

#include "tests/check_suite.h"

#include <string.h>

TEST(success_has_no_text)
{
    hl_status status = hl_ok();
    ck_assert_int_eq(status.code, HL_OK);
    ck_assert_str_eq(status.text, "");
}

TEST(texts_are_formatted)
{
    hl_status status = hl_error(HL_BAD_FILE, "%s:%d: %s", "a.ini", 7, "no");
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_str_eq(status.text, "a.ini:7: no");
    status = hl_error_memory("a list");
    ck_assert_int_eq(status.code, HL_NO_MEMORY);
    ck_assert_str_eq(status.text, "out of memory: a list");
}

TEST(long_texts_are_cut_and_say_so)
{
    char text[2 * HL_STATUS_TEXT];
    memset(text, 'x', sizeof text);
    text[HL_STATUS_TEXT - 1] = '\0'; /* just fits */
    ck_assert_str_eq(hl_error(HL_FAILED, "%s", text).text, text);
    text[HL_STATUS_TEXT - 1] = 'x';
    text[HL_STATUS_TEXT] = '\0'; /* one too many */
    hl_status status = hl_error(HL_FAILED, "%s", text);
    ck_assert_uint_eq(strlen(status.text), HL_STATUS_TEXT - 1);
    ck_assert_str_eq(status.text + HL_STATUS_TEXT - 5, "x...");
}

/* Escape sequences, a C1 control, a mark of direction, a byte that is no UTF-8. */
TEST(foreign_names_are_spelled_out)
{
    ck_assert_str_eq(hl_error(HL_BAD_FILE, "%s: no", "\033[31m\n\xc2\x9b\xe2\x80\xae\xff\x7f\xc3\xa9").text,
                     "\\x1b[31m\\x0a\\u{9b}\\u{202e}\\xff\\x7f\xc3\xa9: no");
}

TEST(what_is_spelled_out_stays_when_it_is_told_again)
{
    hl_status inner = hl_error(HL_BAD_FILE, "\033");
    ck_assert_str_eq(hl_error(HL_FAILED, "%s; why", inner.text).text, "\\x1b; why");
}

/* 508 bytes are left for whole characters: 42 of 12 bytes as they are shown, 253 of two. */
TEST(no_character_is_cut_in_two)
{
    char text[2 * HL_STATUS_TEXT] = "", expected[HL_STATUS_TEXT] = "";
    for (int i = 0; i < 64; i++) {
        strcat(text, "\033\033\033");
        strcat(expected, i < 42 ? "\\x1b\\x1b\\x1b" : i == 42 ? "\\x1b..." : "");
    }
    ck_assert_str_eq(hl_error(HL_FAILED, "%s", text).text, expected);
    *text = *expected = '\0';
    for (int i = 0; i < 400; i++) {
        strcat(text, "\xc3\xa9");
        strcat(expected, i < 254 ? "\xc3\xa9" : i == 254 ? "..." : "");
    }
    ck_assert_str_eq(hl_error(HL_FAILED, "%s", text).text, expected);
}

static int calls;

static hl_status call(hl_code code)
{
    calls++;
    return code == HL_OK ? hl_ok() : hl_error(code, "call %d", calls);
}

static hl_status sequence(hl_code first, hl_code second)
{
    HL_TRY(call(first));
    HL_TRY(call(second));
    return hl_error(HL_FAILED, "the end");
}

TEST(try_returns_the_first_failure)
{
    ck_assert_str_eq(sequence(HL_INVALID, HL_NO_MEMORY).text, "call 1");
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(sequence(HL_OK, HL_NO_MEMORY).code, HL_NO_MEMORY);
    ck_assert_str_eq(sequence(HL_OK, HL_OK).text, "the end");
}

SUITE("status")
