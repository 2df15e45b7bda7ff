#include "core/base/text.h"

#include "core/files/json_text.h"
#include "tests/check_suite.h"
#include "tests/faults.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

TEST(text_grows_as_it_is_written)
{
    hl_text text = { 0 };
    char expected[4000] = "";
    for (int i = 0; i < 500; i++) {
        hl_text_print(&text, "%d,%s ", i, "x");
        snprintf(expected + strlen(expected), 16, "%d,x ", i);
    }
    ck_assert_str_eq(text.bytes, expected);
    ck_assert_uint_eq(text.size, strlen(expected));
    CHECK_OK(hl_text_status(&text));
    hl_text_free(&text);
    ck_assert_ptr_null(text.bytes);
    hl_text_print(&text, "%s", "again");
    ck_assert_str_eq(text.bytes, "again");
    hl_text_free(&text);
}

TEST(bytes_of_any_kind_are_added)
{
    hl_text text = { 0 };
    hl_text_add(&text, "", 0);
    ck_assert_ptr_null(text.bytes);
    hl_text_print(&text, "a");
    hl_text_add(&text, "b\0c\xff%s", 6);
    ck_assert_uint_eq(text.size, 7);
    ck_assert_int_eq(memcmp(text.bytes, "ab\0c\xff%s", 8), 0);
    hl_text_free(&text);
}

LOOP_TEST(a_paragraph_breaks_where_the_next_word_does_not_fit, 0, 7)
{
    static const struct {
        const char *words, *lines;
    } known[] = {
        { "", "\n" },
        { "one", "one\n" },
        { "1234567890", "1234567890\n" },
        { "1234 67890 2", "1234 67890\n2\n" },             /* exactly full */
        { "1234 678901 2", "1234\n678901 2\n" },           /* one too many */
        { "12345678901234 6 8", "12345678901234\n6 8\n" }, /* a word that fits nowhere */
        { "a b c d e f g h i j k l", "a b c d e\nf g h i j\nk l\n" },
    };
    hl_text text = { 0 };
    hl_text_print(&text, "before it\n");
    hl_text_paragraph(&text, 10, "%s", known[_i].words);
    ck_assert_str_eq(text.bytes + strlen("before it\n"), known[_i].lines);
    hl_text_free(&text);
}

TEST(want_of_memory_is_left_on_the_text)
{
    faults_begin();
    int n = 0;
    for (bool reached = true; reached;) {
        hl_text text = { 0 };
        faults_in_memory(++n, FAULTS_ONCE);
        hl_text_print(&text, "%s ", "some");
        hl_text_paragraph(&text, 20, "%s", "words that need more room than there was before");
        hl_text_add(&text, "end", 3);
        reached = faults_allocations() >= n;
        ck_assert_int_eq(hl_text_status(&text).code, reached ? HL_NO_MEMORY : HL_OK);
        ck_assert(reached || strstr(text.bytes, "before\nend") != NULL);
        if (reached) {
            ck_assert_ptr_null(text.bytes);
            ck_assert_int_eq(faults_live_blocks(), 0);
        }
        hl_text_free(&text);
        ck_assert_int_eq(faults_live_blocks(), 0);
    }
    ck_assert_int_gt(n, 2);
    faults_end();
}

TEST(texts_from_elsewhere_are_shown)
{
    hl_text text = { 0 };
    hl_text_shown(&text, "");
    ck_assert_uint_eq(text.size, 0);
    hl_text_shown(&text, "a\n\xe2\x80\xae");
    hl_text_paragraph(&text, 12, "\033 %s", "b\nc \xc3\xa9");
    ck_assert_str_eq(text.bytes, "a\\x0a\\u{202e}\\x1b b\\x0ac\n\xc3\xa9\n");
    hl_text_free(&text);
}

/* What a text has handed over. */
typedef struct bucket {
    char bytes[1 << 18];
    size_t size, most_at_once;
    bool full;
} bucket;

static hl_status fill(void *context, const char *bytes, size_t size)
{
    bucket *b = context;
    if (b->full) {
        return hl_error(HL_BAD_FILE, "full");
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    b->most_at_once = size > b->most_at_once ? size : b->most_at_once;
    return hl_ok();
}

TEST(a_drain_is_given_all_and_little_is_kept)
{
    enum { LINES = 20000 };
    static bucket b;
    hl_text text = { .drain = fill, .context = &b }, whole = { 0 };
    for (int i = 0; i < LINES; i++) {
        hl_text_print(&text, "line %d\n", i);
        hl_text_print(&whole, "line %d\n", i);
    }
    hl_text_paragraph(&text, 10, "words of an end");
    hl_text_paragraph(&whole, 10, "words of an end");
    hl_text_flush(&text);
    hl_text_flush(&whole);
    ck_assert_uint_eq(b.size, whole.size);
    ck_assert_mem_eq(b.bytes, whole.bytes, whole.size);
    ck_assert_uint_lt(b.most_at_once, 100000);
    ck_assert_uint_lt(text.capacity, 200000);
    b.full = true;
    hl_text_print(&text, "more");
    hl_text_flush(&text);
    hl_text_print(&text, "%0200000d", 0);
    ck_assert_int_eq(hl_text_status(&text).code, HL_BAD_FILE);
    ck_assert_str_eq(hl_text_status(&text).text, "full");
    hl_text_free(&text);
    hl_text_free(&whole);
}

TEST(a_document_says_its_format_first)
{
    hl_text text = { 0 };
    hl_json_print_document(&text, json_pack("{s:i}", "step", 5));
    ck_assert_str_eq(text.bytes, "{\n  \"format\": 2,\n  \"step\": 5\n}\n");
    hl_json_print_document(&text, NULL);
    ck_assert_int_eq(hl_text_status(&text).code, HL_NO_MEMORY);
    hl_text_free(&text);
}

TEST(a_field_of_csv_is_quoted_where_it_must_be)
{
    static const char *const fields[][2] = {
        { "", "" },
        { "plain text", "plain text" },
        { "a,b", "\"a,b\"" },
        { "say \"so\"", "\"say \"\"so\"\"\"" },
        { "\",", "\"\"\",\"" },
        { "two\nlines", "\"two\nlines\"" },
        { "end\r", "\"end\r\"" },
    };
    for (int i = 0; i < ROWS(fields); i++) {
        hl_text text = { 0 };
        hl_text_print(&text, "1,");
        hl_csv_field(&text, fields[i][0]);
        CHECK_OK(hl_text_status(&text));
        ck_assert_int_eq(strncmp(text.bytes, "1,", 2), 0);
        ck_assert_str_eq(text.bytes + 2, fields[i][1]);
        hl_text_free(&text);
    }
}

SUITE("text")
