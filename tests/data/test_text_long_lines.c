/* How long a line of running text may be. */
#include "data/text/private/text_records.h"
#include "tests/data/text_data_show.h"

#include <fcntl.h>
#include <unistd.h>

/* The first line has exactly the MiB that is allowed; the second, read in two parts, a byte more. */
TEST(a_line_of_running_text_has_a_bound)
{
    enum { MIB = 1 << 20 };
    char *text = malloc(2 * MIB + 4);
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', 2 * MIB + 3);
    text[MIB] = text[2 * MIB + 2] = '\n';
    text[2 * MIB + 3] = '\0';
    const char *other = scratch_file("other", "a b c d e f g h i j\n");
    hl_text_spec spec = running_spec(gzip_file("text", text), HL_TOKENS_BYTES, 8, 0.1);
    spec.line_mb = 1;
    static const char why[] = "text:2: is longer than 1 MiB: break the line, or raise task.line_mb";
    check_refused(&spec, HL_BAD_FILE, why);
    spec.validation_file = other;
    check_refused(&spec, HL_BAD_FILE, why);
    ck_assert(!scratch_exists(scratch_path("tokens.json"))); /* it is refused before anything is made of it */
    spec.validation_file = spec.file;
    spec.file = other;
    check_refused(&spec, HL_BAD_FILE, why);
    spec.line_mb = 2;
    hl_text_data_close(opened_text(&spec));
    scratch_end();
    text[2 * MIB + 1] = '\n'; /* now the second line, too, has what is allowed */
    spec = running_spec(scratch_file("text", text), HL_TOKENS_BYTES, 8, 0.1);
    spec.line_mb = 1;
    hl_text_data_close(opened_text(&spec));
    free(text);
}

static hl_status count_measured(void *context, const char *what, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    *(int *)context += strcmp(what, "measuring the text") == 0;
    return hl_ok();
}

/* Text in two files is measured before the first cache is made, and not again for each pass or opening. */
TEST(two_files_are_measured_once)
{
    enum { LINES = 5000 }; /* progress is reported once in a file of so many lines */
    char text[2 * LINES + 1];
    for (int i = 0; i < LINES; i++) {
        memcpy(text + 2 * i, "a\n", 3);
    }
    int measured = 0;
    hl_text_spec spec = running_spec(scratch_file("text", text), HL_TOKENS_BYTES, 8, 0.1);
    spec.validation_file = scratch_file("other", text);
    spec.kind = HL_TOKENS_CHARS; /* learned, so that there are three passes */
    spec.progress = count_measured;
    spec.context = &measured;
    for (int i = 0; i < 2; i++) {
        hl_text_data_close(opened_text(&spec));
        ck_assert_int_eq(measured, 2);
    }
}

static hl_status read_through(const hl_text_spec *spec)
{
    hl_text_records *records;
    hl_text_record record = { .n_texts = 1 };
    CHECK_OK(hl_text_records_check(spec, "-")); /* reads nothing */
    hl_status status = hl_text_records_open(spec, HL_VALIDATION, "scoring", &records);
    while (status.code == HL_OK && record.n_texts > 0) {
        status = hl_text_records_next(records, &record);
    }
    hl_text_records_close(records);
    return status;
}

/* A line that has one part with all that is allowed, and one byte in the next. */
TEST(a_line_of_standard_input_has_the_same_bound)
{
    enum { MIB = 1 << 20 };
    char *text = malloc(MIB + 2);
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', MIB + 1);
    text[MIB + 1] = '\0';
    const char *path = scratch_file("input", text);
    free(text);
    hl_text_spec spec = running_spec("-", HL_TOKENS_BYTES, 8, 0.1);
    spec.validation_file = "-";
    for (int mib = 1; mib <= 2; mib++) {
        int input = dup(STDIN_FILENO), file = open(path, O_RDONLY);
        ck_assert(file >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
        spec.line_mb = mib;
        hl_status status = read_through(&spec);
        ck_assert(close(file) == 0 && (input < 0 || (dup2(input, STDIN_FILENO) >= 0 && close(input) == 0)));
        static const char why[] = "standard input:1: is longer than 1 MiB";
        ck_assert_msg(mib == 2 ? status.code == HL_OK : status.code == HL_BAD_FILE && strstr(status.text, why) != NULL,
                      "%d MiB: %s", mib, status.text);
    }
}

SUITE("long lines")
