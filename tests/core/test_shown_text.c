#include "core/base/shown_text.h"
#include "tests/check_suite.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What all of the text is shown as, the columns after each character. */
static void expect_shown(const char *text, bool ascii, const char *expected)
{
    char all[400] = "";
    hl_shown shown;
    while ((text = hl_shown_next(text, ascii, &shown)) != NULL) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s:%d ", shown.bytes, shown.columns);
    }
    ck_assert_str_eq(all, expected);
}

TEST(characters_are_shown_or_spelled_out)
{
    static const struct {
        const char *text, *shown, *in_ascii;
    } known[] = {
        { "", "", "" },
        { "a <~", "a:1  :1 <:1 ~:1 ", "a:1  :1 <:1 ~:1 " },
        { "\033\n\x7f", "\\x1b:4 \\x0a:4 \\x7f:4 ", "\\x1b:4 \\x0a:4 \\x7f:4 " },
        { "\xc3\xa4\xce\xbb", "\xc3\xa4:1 \xce\xbb:1 ", "\\u{e4}:6 \\u{3bb}:7 " },
        { "\xe4\xb8\xad", "\xe4\xb8\xad:2 ", "\\u{4e2d}:8 " },
        { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80:2 ", "\\u{1f600}:9 " },
        { "\xc2\x85", "\\u{85}:6 ", "\\u{85}:6 " },                                             /* a control */
        { "a\xcc\x81", "a:1 \\u{301}:7 ", "a:1 \\u{301}:7 " },                                  /* combines */
        { "\xef\xbf\xbe\xef\xbf\xbf", "\\u{fffe}:8 \\u{ffff}:8 ", "\\u{fffe}:8 \\u{ffff}:8 " }, /* no characters */
        { "\xef\xb7\x90\xf0\x9f\xbf\xbf", "\\u{fdd0}:8 \\u{1ffff}:9 ", "\\u{fdd0}:8 \\u{1ffff}:9 " },
        { "\xef\xbf\xbd", "\xef\xbf\xbd:2 ", "\\u{fffd}:8 " },
        { "\xe2\x80\xae\xe2\x80\x8b", "\\u{202e}:8 \\u{200b}:8 ", "\\u{202e}:8 \\u{200b}:8 " },
        { "\xff\x80"
          "b",
          "\\xff:4 \\x80:4 b:1 ", "\\xff:4 \\x80:4 b:1 " },     /* begins nothing */
        { "\xc3(", "\\xc3:4 (:1 ", "\\xc3:4 (:1 " },            /* not continued */
        { "\xe2\x82", "\\xe2:4 \\x82:4 ", "\\xe2:4 \\x82:4 " }, /* cut */
        { "\xc0\xaf", "\\xc0:4 \\xaf:4 ", "\\xc0:4 \\xaf:4 " }, /* longer than need be */
        { "\xe0\x80\xaf", "\\xe0:4 \\x80:4 \\xaf:4 ", "\\xe0:4 \\x80:4 \\xaf:4 " },
        { "\xed\xa0\x80", "\\xed:4 \\xa0:4 \\x80:4 ", "\\xed:4 \\xa0:4 \\x80:4 " }, /* half a pair of UTF-16 */
        { "\xf4\x90\x80\x80", "\\xf4:4 \\x90:4 \\x80:4 \\x80:4 ", "\\xf4:4 \\x90:4 \\x80:4 \\x80:4 " },
        { "\xf4\x8f\xbf\xbf", "\\u{10ffff}:10 ", "\\u{10ffff}:10 " }, /* the last there is */
    };
    for (int i = 0; i < ROWS(known); i++) {
        expect_shown(known[i].text, false, known[i].shown);
        expect_shown(known[i].text, true, known[i].in_ascii);
    }
}

TEST(any_two_bytes_take_room_and_end)
{
    for (int first = 1; first < 256; first++) {
        for (int second = 1; second < 256; second++) {
            const char text[] = { (char)first, (char)second, '\0' }, *at = text;
            hl_shown shown;
            int n = 0;
            for (const char *rest; (rest = hl_shown_next(at, false, &shown)) != NULL; at = rest) {
                if (rest <= at || rest > text + 2 || shown.columns < 1 || (unsigned char)shown.bytes[0] < ' ' ||
                    shown.bytes[0] == 0x7f) {
                    ck_abort_msg("bytes %02x %02x", first, second);
                }
                n++;
            }
            if (n < 1 || n > 2 || at != text + 2) {
                ck_abort_msg("bytes %02x %02x: %d characters", first, second, n);
            }
        }
    }
}

TEST(a_whole_text_is_measured_and_written_as_far_as_it_goes)
{
    static const char text[] = "a\033\xc3\xa9", shown[] = "a\\x1b\xc3\xa9";
    for (size_t size = 0; size <= sizeof shown + 1; size++) {
        char bytes[sizeof shown + 2];
        memset(bytes, '#', sizeof bytes);
        ck_assert_uint_eq(hl_shown_text(bytes, size, text), sizeof shown - 1);
        size_t fits = size > 7 ? 7 : size > 5 ? 5 : size > 1 ? 1 : 0; /* bytes of whole characters */
        ck_assert_int_eq(strncmp(bytes, shown, fits), 0);
        ck_assert_int_eq(bytes[fits], size > 0 ? '\0' : '#');
        ck_assert_int_eq(bytes[sizeof bytes - 1], '#');
    }
}

TEST(a_text_that_is_cut_says_so)
{
    char bytes[8], roomy[32];
    hl_shown_cut(bytes, sizeof bytes, "1234567", false);
    ck_assert_str_eq(bytes, "1234567");
    hl_shown_cut(bytes, sizeof bytes, "12345678", false);
    ck_assert_str_eq(bytes, "1234...");
    hl_shown_cut(bytes, sizeof bytes, "123\033", false);
    ck_assert_str_eq(bytes, "123\\x1b");
    hl_shown_cut(bytes, sizeof bytes, "1234\033", false);
    ck_assert_str_eq(bytes, "1234...");
    hl_shown_cut(bytes, sizeof bytes, "12", true);
    ck_assert_str_eq(bytes, "12...");
    static const char *const cut[] = { "1\xc3", "1\xe2\x82", "1\xf0\x9f\x98", "1\xf0", "1" };
    for (int i = 0; i < 5; i++) {
        hl_shown_cut(roomy, sizeof roomy, cut[i], true);
        ck_assert_str_eq(roomy, "1...");
    }
    hl_shown_cut(roomy, sizeof roomy, "1\xe2\x82\xac", true);
    ck_assert_str_eq(roomy, "1\xe2\x82\xac...");
    hl_shown_cut(bytes, 4, "1234", false);
    ck_assert_str_eq(bytes, "...");
}

SUITE("shown text")
