#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "train/ini.h"

#include <stdio.h>
#include <string.h>

enum { SUMMARY = 8192 };

/* All items of the text as lines "1 [name]", "2 key=value" or "3 ! what is wrong". The reader is given no byte beyond
 * the text, so that a sanitizer sees one read too many. */
static const char *summary(const char *text, size_t size)
{
    static char out[SUMMARY];
    size_t rounded = (size + 63) / 64 * 64;
    char *block = hl_malloc(rounded);
    char *exact = block + rounded - size;
    memcpy(exact, text, size);
    hl_ini ini;
    hl_ini_begin(&ini, exact, size);
    out[0] = '\0';
    for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) {
        size_t used = strlen(out);
        if (kind == HL_INI_SECTION) {
            snprintf(out + used, sizeof out - used, "%d [%s]\n", ini.line, ini.name);
        } else if (kind == HL_INI_PAIR) {
            snprintf(out + used, sizeof out - used, "%d %s=%s\n", ini.line, ini.name, ini.value);
        } else {
            const char *mark = kind == HL_INI_WRONG ? "!" : "[!";
            snprintf(out + used, sizeof out - used, "%d %s %s\n", ini.line, mark, ini.wrong);
        }
    }
    hl_free(block);
    return out;
}

static const struct {
    const char *text, *items;
} readable[] = {
    { "", "" },
    { "\n\n", "" },
    { "# only\n  ; comments\n", "" },
    { "[a]\nk = v\n", "1 [a]\n2 k=v\n" },
    { "[a]\nk = v", "1 [a]\n2 k=v\n" },
    { " \t[ a\t] # why\n\tk\t=\tv w  ; so\n", "1 [a]\n2 k=v w\n" },
    { "[a]\r\nk=v\r\n\r\nl=w\r\n", "1 [a]\n2 k=v\n4 l=w\n" },
    { "[a];b\nk=v#w\n", "1 [a]\n2 k=v\n" },
    { "k = v\n  l = w\n  m = x\n", "1 k=v\n2 l=w\n3 m=x\n" }, /* indented lines stand for themselves */
    { "k = a = b\n", "1 k=a = b\n" },
    { "k =\nl = # nothing\n", "1 k=\n2 l=\n" },
    { "\xc3\xbc = \xe2\x82\xac \xf0\x9d\x84\x9e # \xc3\xa9\n", "1 \xc3\xbc=\xe2\x82\xac \xf0\x9d\x84\x9e\n" },
    { "k = [v]\n", "1 k=[v]\n" },
    { "k = \" v # w; \" # why\n", "1 k= v # w; \n" },
    { "k = \"\\\"#\\\\\" ;\n", "1 k=\"#\\\n" },
    { "k = \"\\xff\\x01\" \n", "1 k=\xff\x01\n" },
    { "k = \"\"\nl = v \"w # x\"\n", "1 k=\n2 l=v \"w\n" }, /* only one that the value begins with */
    { "k # = \"v\nl = w\n", "1 ! \"=\" is missing: a line is key = value, [section] or a comment\n2 l=w\n" },
};

static const struct {
    const char *value, *why;
} misquoted[] = {
    { "\"", "the value begins with \" and does not end with one" },
    { "\"v # w", "the value begins with \" and does not end with one" },
    { "\"v\\\"", "the value begins with \" and does not end with one" },
    { "\"v\" w", "something follows the \" that ends the value" },
    { "\"\"\"", "something follows the \" that ends the value" },
    { "\"\\n\"", "in quotes, \\ stands before \" or \\ or, for any byte but 0, as in \\x0a" },
    { "\"\\x0\"", "in quotes, \\ stands before \" or \\ or, for any byte but 0, as in \\x0a" },
    { "\"\\x00\"", "in quotes, \\ stands before \" or \\ or, for any byte but 0, as in \\x0a" },
    { "\"\\xFF\"", "in quotes, \\ stands before \" or \\ or, for any byte but 0, as in \\x0a" },
};

LOOP_TEST(what_is_quoted_wrongly_is_refused, 0, sizeof misquoted / sizeof *misquoted)
{
    const char *text = scratch_format("k = %s\nl = w\n", misquoted[_i].value);
    const char *expected = scratch_format("1 ! %s\n2 l=w\n", misquoted[_i].why);
    ck_assert_str_eq(summary(text, strlen(text)), expected);
}

static const struct {
    const char *value, *text;
} quotable[] = {
    { "", "" },
    { "runs/a b 'c' \"d\" = \xc3\xbc, \\", "runs/a b 'c' \"d\" = \xc3\xbc, \\" },
    { "a#\xc3\xbc", "\"a#\xc3\xbc\"" },
    { " a;\\", "\" a;\\\\\"" },
    { "a\t", "\"a\\x09\"" },
    { "\"a\"", "\"\\\"a\\\"\"" },
    { "a\nb\xff\x7f\xc3\xbc", "\"a\\x0ab\\xff\\x7f\\xc3\\xbc\"" },
};

LOOP_TEST(what_is_written_is_read_again, 0, sizeof quotable / sizeof *quotable)
{
    char written[64], wrong[HL_INI_WRONG_TEXT];
    ck_assert(hl_ini_quote(quotable[_i].value, written, sizeof written));
    ck_assert_str_eq(written, quotable[_i].text);
    size_t length = strlen(written);
    ck_assert(!hl_ini_quote(quotable[_i].value, written, length));
    ck_assert(hl_ini_quote(quotable[_i].value, written, length + 1));
    hl_ini ini;
    const char *line = scratch_format("k = %s # c", written);
    hl_ini_begin(&ini, line, strlen(line));
    ck_assert_int_eq(hl_ini_next(&ini), HL_INI_PAIR);
    ck_assert_str_eq(ini.value, quotable[_i].value);
    ck_assert(hl_ini_unquote(written, wrong));
    ck_assert_str_eq(written, quotable[_i].value);
}

LOOP_TEST(what_can_be_read, 0, sizeof readable / sizeof readable[0])
{
    ck_assert_str_eq(summary(readable[_i].text, strlen(readable[_i].text)), readable[_i].items);
}

#define WRONG(text, items)            \
    {                                 \
        text, sizeof(text) - 1, items \
    }
#define NOT_UTF8(column) "1 ! byte 0x" column " is not UTF-8\n"

static const struct {
    const char *text;
    size_t size;
    const char *items;
} unreadable[] = {
    WRONG("a\nk=v\n", "1 ! \"=\" is missing: a line is key = value, [section] or a comment\n2 k=v\n"),
    WRONG("k = v\n  continued\n", "1 k=v\n2 ! \"=\" is missing: a line is key = value, [section] or a comment\n"),
    WRONG("= v\n", "1 ! the key before \"=\" is missing\n"),
    WRONG("[a\nk=v\n", "1 [! \"]\" is missing\n2 k=v\n"),
    WRONG("[a # ]\n", "1 [! \"]\" is missing\n"),
    WRONG("[]\n", "1 [! the section has no name\n"),
    WRONG("[ \t]\n", "1 [! the section has no name\n"),
    WRONG("[a] b\n", "1 [! a section stands on a line of its own\n"),
    WRONG("[a]]\n", "1 [! a section stands on a line of its own\n"),
    WRONG("k=v\0w\n", "1 ! control byte 0x00 in column 4\n"),
    WRONG("# \033[2J\n", "1 ! control byte 0x1b in column 3\n"),
    WRONG("k=v\rl=w\n", "1 ! control byte 0x0d in column 4\n"),
    WRONG("k=v\r", "1 ! control byte 0x0d in column 4\n"),
    WRONG("k=\x7f\n", "1 ! control byte 0x7f in column 3\n"),
    WRONG("\xef\xbb\xbf[a]\nk=v\n",
          "1 ! the file starts with a byte order mark: save it as UTF-8 without one\n1 [a]\n2 k=v\n"),
    WRONG("\xff\xfe[\0", NOT_UTF8("ff in column 1")),
    WRONG("k=\x80", NOT_UTF8("80 in column 3")),
    WRONG("k=\xc3", NOT_UTF8("c3 in column 3")), /* cut short */
    WRONG("k=\xc3(", NOT_UTF8("c3 in column 3")),
    WRONG("k=\xc0\xaf", NOT_UTF8("c0 in column 3")), /* overlong */
    WRONG("k=\xe0\x80\xaf", NOT_UTF8("e0 in column 3")),
    WRONG("k=\xf0\x80\x80\xaf", NOT_UTF8("f0 in column 3")),
    WRONG("k=\xed\xa0\x80", NOT_UTF8("ed in column 3")),     /* a surrogate */
    WRONG("k=\xf4\x90\x80\x80", NOT_UTF8("f4 in column 3")), /* past U+10FFFF */
    WRONG("k=\xf5\x80\x80\x80", NOT_UTF8("f5 in column 3")),
};

LOOP_TEST(what_cannot_be_read_is_reported_and_reading_goes_on, 0, sizeof unreadable / sizeof unreadable[0])
{
    ck_assert_str_eq(summary(unreadable[_i].text, unreadable[_i].size), unreadable[_i].items);
}

TEST(a_line_is_whole_up_to_the_limit_and_refused_beyond)
{
    char text[HL_INI_MAX_LINE + 16];
    memset(text, 'v', sizeof text);
    memcpy(text, "k=", 2);
    text[HL_INI_MAX_LINE] = '\n';
    hl_ini ini;
    hl_ini_begin(&ini, text, HL_INI_MAX_LINE + 1);
    ck_assert_int_eq(hl_ini_next(&ini), HL_INI_PAIR);
    ck_assert_uint_eq(strlen(ini.value), HL_INI_MAX_LINE - 2);
    ck_assert_int_eq(hl_ini_next(&ini), HL_INI_END);
    ck_assert_int_eq(hl_ini_next(&ini), HL_INI_END);

    text[HL_INI_MAX_LINE] = 'v';
    memcpy(text + HL_INI_MAX_LINE + 1, "\nl=w\n", 5);
    ck_assert_str_eq(summary(text, HL_INI_MAX_LINE + 6), "1 ! the line is longer than 4096 bytes\n2 l=w\n");
    ck_assert_str_eq(summary(text, HL_INI_MAX_LINE + 1), "1 ! the line is longer than 4096 bytes\n");
}

TEST(allowed_bytes_name_the_first_that_is_not)
{
    char wrong[HL_INI_WRONG_TEXT] = "";
    ck_assert(hl_ini_bytes_allowed("a\tb \xc3\xbc", 6, wrong));
    ck_assert_str_eq(wrong, "");
    ck_assert(!hl_ini_bytes_allowed("a\nb", 3, wrong));
    ck_assert_str_eq(wrong, "control byte 0x0a in column 2");
}

SUITE("ini")
