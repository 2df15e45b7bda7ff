#include "data/text/corpus.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "data/permute.h"
#include "data/text/private/corpus_file.h"
#include "tests/check_suite.h"
#include "tests/data/corpus_example.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"

#include <unistd.h>

static void check_example(hl_corpus_reader *reader, int64_t i)
{
    CHECK_OK(hl_corpus_read(reader, i));
    int line = (int)i + 1;
    ck_assert(reader->lengths[0] == (int64_t)length_of_line(line) && reader->lengths[1] == 1 &&
              reader->columns[1][0] == line);
    for (int64_t k = 0; k < reader->lengths[0]; k++) {
        ck_assert_int_eq(reader->columns[0][k], byte_of_line(line, (size_t)k));
    }
}

TEST(every_example_is_read_in_any_order)
{
    made m = { .source = source_file() };
    hl_corpus *corpus = kept_corpus(&m);
    ck_assert(hl_corpus_examples(corpus) == LINES && hl_corpus_longest(corpus, 1) == 1 && m.times == 1);
    ck_assert_int_gt(hl_corpus_longest(corpus, 0), 2 * HL_CORPUS_BLOCK_NUMBERS);
    ck_assert_str_eq(hl_corpus_made_because(corpus), "");
    hl_corpus_reader *reader = kept_reader(corpus);
    int64_t numbers = 0;
    for (int64_t i = 0; i < LINES; i++) {
        check_example(reader, i);
        numbers += reader->lengths[0] + reader->lengths[1];
    }
    ck_assert_int_eq(hl_corpus_numbers(corpus), numbers);
    for (int64_t i = 0; i < LINES; i++) {
        check_example(reader, hl_permute(2, 0, LINES, i));
    }
}

TEST(running_text_is_read_by_windows)
{
    made m = { .source = source_file(), .running = true };
    hl_corpus *corpus = kept_corpus(&m);
    static int32_t all[200000], window[5000];
    hl_corpus_reader *reader = kept_reader(corpus);
    int64_t n = hl_corpus_numbers(corpus), at = 0;
    ck_assert(n < 200000 && n > 5 * HL_CORPUS_BLOCK_NUMBERS && hl_corpus_examples(corpus) == 0);
    CHECK_OK(hl_corpus_window(reader, 0, n, all));
    for (int line = 1; line <= LINES; line++) {
        for (size_t i = 0; i < length_of_line(line); i++) {
            ck_assert_int_eq(all[at++], byte_of_line(line, i));
        }
    }
    ck_assert_int_eq(at, n);
    for (int64_t first = n - 1; first >= 0; first -= 777) {
        int64_t count = first % 5000 < n - first ? first % 5000 : n - first;
        CHECK_OK(hl_corpus_window(reader, first, count, window));
        ck_assert_mem_eq(window, all + first, (size_t)count * sizeof *window);
    }
}

/* The numbers of a block, and one more and one less: where an example or its lengths end with a block. */
TEST(examples_may_end_where_blocks_do)
{
    for (int length = HL_CORPUS_BLOCK_NUMBERS - 8; length <= HL_CORPUS_BLOCK_NUMBERS; length++) {
        hl_text text = { 0 };
        for (int line = 0; line < 3; line++) {
            hl_text_print(&text, "%0*d\n\n", length, line);
        }
        made m = { .source = scratch_file("text", text.bytes) };
        hl_text_free(&text);
        hl_corpus_reader *reader = kept_reader(kept_corpus(&m));
        for (int i = 5; i >= 0; i--) {
            CHECK_OK(hl_corpus_read(reader, i));
            ck_assert(reader->lengths[0] == (i % 2 == 0 ? length : 0) && reader->columns[1][0] == i + 1);
            ck_assert(i % 2 == 1 || reader->columns[0][length - 1] == '0' + i / 2);
        }
    }
}

static int preads;

static ssize_t counted_pread(int fd, void *buffer, size_t count, off_t offset)
{
    preads++;
    return pread(fd, buffer, count, offset);
}

TEST(an_example_costs_few_reads_and_no_memory)
{
    made m = { .source = source_file() };
    hl_corpus *corpus = kept_corpus(&m);
    hl_corpus_reader *reader = kept_reader(corpus);
    hl_file_calls calls = *hl_file_calls_get();
    calls.pread = counted_pread;
    hl_file_calls_set(&calls);
    for (int64_t i = 0; i < LINES; i++) {
        preads = 0;
        reader->in_block = -1;
        check_example(reader, i);
        ck_assert_int_le(preads, 2 + (int)reader->lengths[0] / HL_CORPUS_BLOCK_NUMBERS);
    }
    hl_file_calls_set(NULL);
}

/* ---- damage ---- */

TEST(no_damaged_byte_goes_unnoticed)
{
    bool ours;
    made m = { .source = source_file() };
    const char *path = scratch_path("cache"), *damaged = scratch_path("damaged");
    hl_corpus_spec spec = spec_of(&m, path);
    hl_corpus_close(opened(&spec));
    size_t size;
    char *bytes = scratch_read(path, &size);
    ck_assert_uint_gt(size, 10 * HL_CORPUS_BLOCK);
    for (size_t at = 0; at<size; at += at + 4000> size ? 1 : 997) {
        bytes[at] ^= 0x10;
        scratch_write(damaged, bytes, size);
        bytes[at] ^= 0x10;
        hl_corpus *corpus;
        hl_status status = hl_corpus_load(damaged, &ours, &corpus);
        if (status.code == HL_OK) { /* in a block: named when it is read */
            char expected[128];
            ck_assert_uint_lt(at, (size_t)corpus->end.n_blocks * HL_CORPUS_BLOCK);
            hl_corpus_reader reader;
            CHECK_OK(hl_corpus_reader_init(&reader, corpus));
            for (int64_t i = 0; i < LINES && status.code == HL_OK; i++) {
                status = hl_corpus_read(&reader, i);
            }
            snprintf(expected, sizeof expected, ": block %zu is damaged; remove the file, and it is made again",
                     at / HL_CORPUS_BLOCK);
            refused_as(status, HL_BAD_FILE, damaged, expected);
            hl_corpus_reader_free(&reader);
        }
        ck_assert_msg(status.code == HL_BAD_FILE && strstr(status.text, damaged) == status.text, "%s", status.text);
        hl_corpus_close(corpus);
    }
    for (size_t cut = 0; cut < size; cut += 501) {
        hl_corpus *corpus;
        scratch_write(damaged, bytes, cut);
        ck_assert_int_eq(hl_corpus_load(damaged, &ours, &corpus).code, HL_BAD_FILE);
    }
    free(bytes);
}

TEST(blocks_that_changed_places_and_other_formats_are_refused)
{
    bool ours;
    made m = { .source = source_file() };
    const char *path = scratch_path("cache");
    hl_corpus_spec spec = spec_of(&m, path);
    hl_corpus_close(opened(&spec));
    size_t size;
    char *bytes = scratch_read(path, &size), block[HL_CORPUS_BLOCK];
    memcpy(block, bytes, sizeof block);
    memcpy(bytes, bytes + HL_CORPUS_BLOCK, sizeof block);
    memcpy(bytes + HL_CORPUS_BLOCK, block, sizeof block);
    scratch_write(path, bytes, size);
    hl_corpus *corpus = scratch_own(opened(&spec), close_corpus);
    hl_corpus_reader *reader = kept_reader(corpus);
    refused_as(hl_corpus_read(reader, 0), HL_BAD_FILE, path,
               ": block 0 is damaged; remove the file, and it is made again");
    ck_assert_int_eq(truncate(path, 100), 0); /* while it is open */
    refused_as(hl_corpus_read(reader, 0), HL_BAD_FILE, path, ": was cut short while it was read");
    uint32_t format = 7;
    memcpy(bytes + size - 16, &format, sizeof format);
    scratch_write(path, bytes, size);
    refused_as(hl_corpus_load(path, &ours, &corpus), HL_BAD_FILE, path,
               ": has format 7, not 1: another version or kind of machine made it");
    free(bytes);
}

TEST(an_example_too_long_is_refused)
{
    made m = { .source = scratch_file("text", "a\n") };
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache"));
    hl_corpus_writer *writer;
    CHECK_OK(hl_corpus_writer_begin(&spec, &writer));
    static const int32_t number;
    const int32_t *values[] = { &number, &number };
    refused_as(hl_corpus_add(writer, values, (int64_t[]){ HL_CORPUS_MAX_LENGTH, 1 }), HL_INVALID,
               "an example of 268435457 numbers is longer than the 268435456 that are allowed", "");
    refused_as(hl_corpus_add(writer, values, (int64_t[]){ INT64_MAX, INT64_MAX }), HL_INVALID,
               "an example of 536870914 numbers is longer than the 268435456 that are allowed", "");
    hl_corpus_writer_abandon(writer);
    ck_assert(!scratch_exists(scratch_path("cache.tmp")));
}

/* ---- faults ---- */

static hl_status save_corpus(const char *path, int version)
{
    static const int32_t numbers[3000];
    made m = { .source = "text" };
    hl_corpus_spec spec = spec_of(&m, path);
    hl_corpus_writer *writer;
    HL_TRY(hl_corpus_writer_begin(&spec, &writer));
    hl_status status = hl_ok();
    for (int i = 0; i < 3 + version && status.code == HL_OK; i++) {
        const int32_t label = i, *values[] = { numbers, &label };
        status = hl_corpus_add(writer, values, (int64_t[]){ 1000 * i, 1 });
    }
    if (status.code == HL_OK) {
        return hl_corpus_writer_commit(writer, &(hl_source){ .size = version });
    }
    hl_corpus_writer_abandon(writer);
    return status;
}

TEST(no_failing_call_harms_the_old_file)
{
    fault_checks_saving(save_corpus, 2);
}

static hl_status load_corpus(const char *path)
{
    bool ours;
    hl_corpus *corpus;
    hl_corpus_reader reader = { .in_block = -1 };
    HL_TRY(hl_corpus_load(path, &ours, &corpus));
    hl_status status = hl_corpus_reader_init(&reader, corpus);
    if (status.code == HL_OK) {
        status = hl_corpus_read(&reader, 2);
    }
    ck_assert(status.code != HL_OK || (reader.lengths[0] == 2000 && reader.columns[1][0] == 2));
    hl_corpus_reader_free(&reader);
    hl_corpus_close(corpus);
    return status;
}

TEST(no_failing_call_is_missed_in_reading)
{
    fault_checks_loading(save_corpus, load_corpus, 1);
}

SUITE("corpus")
