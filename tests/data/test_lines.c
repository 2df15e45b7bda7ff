#include "data/text/lines.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/data/text_files.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool in_parts;

/* All lines, as "<number>@<offset>:<text><end>" with N for a newline, R for a carriage return before it, and |
 * between. */
static hl_status all_lines(const char *path, size_t limit, hl_text *text, hl_lines_notices *notices)
{
    hl_lines *lines;
    hl_line line;
    HL_TRY(hl_lines_open(path, limit, &lines));
    if (in_parts) {
        hl_lines_in_parts(lines);
    }
    hl_status status = hl_lines_next(lines, &line);
    for (; status.code == HL_OK && line.text != NULL; status = hl_lines_next(lines, &line)) {
        hl_text_print(text, "%s%lld@%lld:%.*s%s%s", text->size > 0 ? "|" : "", (long long)line.number,
                      (long long)line.offset, (int)line.size, line.text, line.crlf ? "R" : "", line.newline ? "N" : "");
    }
    if (status.code == HL_OK && hl_lines_next(lines, &line).code == HL_OK) {
        ck_assert_ptr_null(line.text); /* the end stays the end */
    }
    if (notices != NULL) {
        *notices = hl_lines_noticed(lines);
    }
    hl_lines_close(lines);
    return status.code == HL_OK ? hl_text_status(text) : status;
}

static hl_lines_notices check_lines(const char *path, const char *expected)
{
    hl_text *text = scratch_text();
    hl_lines_notices notices;
    CHECK_OK(all_lines(path, 10, text, &notices));
    ck_assert_str_eq(text->size > 0 ? text->bytes : "", expected);
    return notices;
}

static void check_refused(const char *text, size_t size, const char *rest)
{
    const char *path = scratch_path("t");
    scratch_write(path, text, size);
    refused_as(all_lines(path, 10, scratch_text(), NULL), HL_BAD_FILE, path, rest);
}

TEST(lines_have_numbers_offsets_and_ends)
{
    check_lines(scratch_file("t", ""), "");
    check_lines(scratch_file("t", "\n"), "1@0:N");
    check_lines(scratch_file("t", "a"), "1@0:a");
    check_lines(scratch_file("t", "a\nb\xc3\xa4\n\nc"), "1@0:aN|2@2:b\xc3\xa4N|3@6:N|4@7:c");
    check_lines(scratch_file("t", "0123456789\n0123456789"), "1@0:0123456789N|2@11:0123456789");
}

TEST(a_mark_and_carriage_returns_are_dropped_and_counted)
{
    hl_lines_notices notices = check_lines(scratch_file("t", "\xef\xbb\xbf"
                                                             "0123456789\r\nb\n\r\nc\rd\r"),
                                           "1@3:0123456789RN|2@15:bN|3@17:RN|4@19:c\rd\r");
    ck_assert(notices.mark && notices.crlf == 2);
    notices = check_lines(scratch_file("t", "a\n\xef\xbb\xbf"
                                            "b\n"),
                          "1@0:aN|2@2:\xef\xbb\xbf"
                          "bN"); /* a character there */
    ck_assert(!notices.mark && notices.crlf == 0);
    check_lines(scratch_file("t", "\xef\xbb\xbf"), "");
}

TEST(what_is_no_text_is_refused_by_place)
{
    check_refused("ab\nc\0d\n", 7, ":2: holds a NUL byte (column 2)");
    check_refused("ab\n\xc3\xa4\xe4\n", 7, ":2:2: is not UTF-8 (byte 0xe4)");
    check_refused("0123456\xff", 8, ":1:8: is not UTF-8 (byte 0xff)");
    check_refused("01234567\xc3", 9, ":1:9: is not UTF-8 (byte 0xc3)"); /* cut within a character */
    check_refused("a\n01234567890\n", 14, ":2: is longer than 10 bytes");
    check_refused("a\n01234567890", 13, ":2: is longer than 10 bytes");
    check_refused("\xef\xbb\xbf"
                  "01234567890",
                  14, ":1: is longer than 10 bytes");
    check_refused("a\n0123456789\r", 13, ":2: is longer than 10 bytes");
    hl_lines *lines;
    const char *missing = scratch_path("missing"), *folder = scratch_path("folder");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    refused_as(hl_lines_open(missing, 10, &lines), HL_BAD_FILE, missing, ": cannot open: No such file or directory");
    ck_assert_ptr_null(lines);
    refused_as(hl_lines_open(folder, 10, &lines), HL_BAD_FILE, folder, ": is a folder, not a file");
}

static size_t largest_block;

static void *measured_allocate(size_t bytes)
{
    largest_block = bytes > largest_block ? bytes : largest_block;
    void *block = NULL;
    return posix_memalign(&block, 64, bytes) == 0 ? block : NULL;
}

static void *measured_reallocate(void *old, size_t bytes)
{
    largest_block = bytes > largest_block ? bytes : largest_block;
    return realloc(old, bytes);
}

TEST(a_line_too_long_is_never_held)
{
    enum { LONG = 4 << 20, LIMIT = 1 << 17 };
    static const hl_allocator allocator = { measured_allocate, measured_reallocate, free };
    char *text = malloc(LONG);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', LONG);
    const char *path = scratch_path("t");
    scratch_write(path, text, LONG);
    hl_allocator_set(&allocator);
    largest_block = 0;
    hl_text lines = { 0 };
    refused_as(all_lines(path, LIMIT, &lines, NULL), HL_BAD_FILE, path, ":1: is longer than 131072 bytes");
    ck_assert_uint_le(largest_block, 4 * LIMIT);
    text[LIMIT] = '\n'; /* one of the limit's length is taken */
    scratch_write(path, text, LIMIT + 1);
    CHECK_OK(all_lines(path, LIMIT, &lines, NULL));
    hl_text_free(&lines);
    hl_allocator_set(NULL);
    free(text);
}

/* Before a blank behind a word, else behind a character; a line that fits is never cut. */
TEST(a_line_too_long_is_given_out_in_parts_where_that_is_asked_for)
{
    in_parts = true;
    check_lines(scratch_file("t", "0123456789\r\n0123456789"), "1@0:0123456789RN|2@12:0123456789");
    check_lines(scratch_file("t", "0123456789x\r\nb"), "1@0:0123456789|1@10:xRN|2@13:b");
    check_lines(scratch_file("t", "a bcd  fghij klmnopqrstuvw\n\nx"),
                "1@0:a bcd|1@5:  fghij|1@12: klmnopqrs|1@22:tuvwN|2@27:N|3@28:x");
    check_lines(scratch_file("t", "\xef\xbb\xbf"
                                  "a23456789\xc3\xa4x\xef\xbb\xbfz"),
                "1@3:a234567|1@10:89\xc3\xa4x\xef\xbb\xbfz");
    static const char wrong[] = "\xc3\xa4 3456789012\xff";
    check_refused(wrong, sizeof wrong - 1, ":1:13: is not UTF-8 (byte 0xff)");
    in_parts = false;
}

static void check_damaged(const char *path)
{
    hl_status status = all_lines(path, 10, scratch_text(), NULL);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, ": has damaged gzip data (") != NULL, "%s", status.text);
}

TEST(gzip_is_known_by_its_bytes_and_members_are_one_text)
{
    size_t one, two;
    unsigned char *a = gzipped("first\nsec", 9, &one), *b = gzipped("ond\r\n", 5, &two);
    a = realloc(a, one + two + 1);
    ck_assert_ptr_nonnull(a);
    memcpy(a + one, b, two);
    const char *path = scratch_path("t");
    scratch_write(path, a, one + two);
    check_lines(path, "1@0:firstN|2@6:secondRN");
    for (size_t size = 3; size < one + two; size++) { /* cut anywhere but between the two */
        scratch_write(path, a, size);
        hl_status status = all_lines(path, 10, scratch_text(), NULL);
        if (size == one) {
            ck_assert_int_eq(status.code, HL_OK);
        } else {
            refused_as(status, HL_BAD_FILE, path, ": its gzip data end in the middle: the file is cut off");
        }
    }
    a[one + two] = 'x';
    check_refused((char *)a, one + two + 1, ": its gzip data end in the middle: the file is cut off");
    a[one + 12] ^= 0x55; /* within the second one's data */
    scratch_write(path, a, one + two);
    check_damaged(path);
    free(a);
    free(b);
}

/* As gzip(1) takes them: a file filled up with zeros, as from a tape, whole blocks of them or a few. */
TEST(zeros_after_gzip_data_are_no_text)
{
    enum { ZEROS = 200000 };
    size_t size;
    unsigned char *packed = gzipped("first\nlast", 10, &size);
    unsigned char *file = calloc(2 * size + ZEROS, 1);
    ck_assert_ptr_nonnull(file);
    memcpy(file, packed, size);
    const char *path = scratch_path("t");
    for (size_t zeros = 1; zeros <= ZEROS; zeros = zeros == 1 ? 511 : ZEROS + (zeros == ZEROS)) {
        scratch_write(path, file, size + zeros);
        check_lines(path, "1@0:firstN|2@6:last");
    }
    memcpy(file + size + 5, packed, size); /* a member after them */
    scratch_write(path, file, 2 * size + 5);
    check_lines(path, "1@0:firstN|2@6:lastfirstN|3@16:last");
    file[size + 5] = 'x';
    scratch_write(path, file, 2 * size + 5);
    check_damaged(path);
    free(file);
    free(packed);
}

/* More text than zlib gives out at once, from few bytes: some of it is left when the file has been read. */
TEST(gzip_gives_all_of_its_text)
{
    enum { LINES = 100000 };
    char *text = malloc(2 * LINES);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < LINES; i++) {
        memcpy(text + 2 * i, "x\n", 2);
    }
    size_t size;
    unsigned char *packed = gzipped(text, 2 * LINES, &size);
    const char *path = scratch_path("t");
    scratch_write(path, packed, size);
    hl_lines *lines;
    hl_line line;
    int64_t n = -1, done, total;
    CHECK_OK(hl_lines_open(path, 10, &lines));
    do {
        CHECK_OK(hl_lines_next(lines, &line));
        n++;
    } while (line.text != NULL);
    hl_lines_progress(lines, &done, &total);
    ck_assert_int_eq(n, LINES);
    ck_assert(done == (int64_t)size && total == (int64_t)size);
    hl_lines_close(lines);
    free(packed);
    free(text);
}

TEST(standard_input_is_read_line_by_line)
{
    int ends[2], kept = dup(STDIN_FILENO);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    hl_lines *lines;
    hl_line line;
    CHECK_OK(hl_lines_open("-", 10, &lines));
    ck_assert_str_eq(hl_lines_name(lines), "standard input");
    static const char *const given[] = { "\n", "two\n", "\xff\n" };
    for (int i = 0; i < 3; i++) { /* waits for no byte more than a line */
        ck_assert_int_eq(write(ends[1], given[i], strlen(given[i])), (ssize_t)strlen(given[i]));
        hl_status status = hl_lines_next(lines, &line);
        ck_assert(i < 2 ? status.code == HL_OK && line.number == i + 1 && line.size == strlen(given[i]) - 1
                        : strcmp(status.text, "standard input:3:1: is not UTF-8 (byte 0xff)") == 0);
    }
    hl_lines_close(lines);
    close(ends[1]);
    ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD) >= 0, 1); /* left open */
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static int twice_as_large(int fd, struct stat *info)
{
    int result = fstat(fd, info);
    info->st_size *= 2;
    return result;
}

TEST(a_file_that_shrinks_is_refused_and_one_that_grows_read_as_it_was)
{
    hl_text text = { 0 };
    const char *path = scratch_file("t", "one\ntwo\n");
    hl_file_calls calls = *hl_file_calls_get();
    calls.fstat = twice_as_large;
    hl_file_calls_set(&calls);
    refused_as(all_lines(path, 10, &text, NULL), HL_BAD_FILE, path, ": was cut short while it was read");
    hl_file_calls_set(NULL);
    hl_lines *lines;
    hl_line line;
    CHECK_OK(hl_lines_open(path, 10, &lines));
    scratch_file("t", "one\ntwo\nthree\n");
    ck_assert(hl_lines_next(lines, &line).code == HL_OK && hl_lines_next(lines, &line).code == HL_OK);
    ck_assert(hl_lines_next(lines, &line).code == HL_OK && line.text == NULL);
    hl_lines_close(lines);
    hl_text_free(&text);
}

static hl_status save_gzipped(const char *path, int version)
{
    char text[64];
    size_t size;
    unsigned char *packed = gzipped(text, (size_t)snprintf(text, sizeof text, "version %d\nlast", version), &size);
    hl_status status = hl_file_replace(path, packed, size, HL_DURABLE);
    free(packed);
    return status;
}

static hl_status load_lines(const char *path)
{
    hl_text text = { 0 };
    hl_status status = all_lines(path, 10, &text, NULL);
    ck_assert(status.code != HL_OK || strcmp(text.bytes, "1@0:version 0N|2@10:last") == 0);
    hl_text_free(&text);
    return status;
}

TEST(no_failing_call_is_missed)
{
    fault_checks_loading(save_gzipped, load_lines, 1);
}

TEST(pieces_of_any_size_make_the_same_lines)
{
    static const char text[] = "\xef\xbb\xbf"
                               "a\xc3\xa4\r\n\nlast";
    size_t size;
    unsigned char *packed = gzipped(text, sizeof text - 1, &size);
    const char *plain = scratch_file("plain", text), *gzip = scratch_path("gzip");
    scratch_write(gzip, packed, size);
    for (size_t piece = 1; piece < 5; piece++) {
        faults_begin();
        faults_pieces(piece);
        faults_interrupts(true);
        check_lines(plain, "1@3:a\xc3\xa4RN|2@8:N|3@9:last");
        check_lines(gzip, "1@3:a\xc3\xa4RN|2@8:N|3@9:last");
        faults_end();
    }
    free(packed);
}

SUITE("lines")
