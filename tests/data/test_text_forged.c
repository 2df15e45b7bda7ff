/* Caches that somebody forged: their checksums are right, their numbers are not. */
#include "data/text/private/corpus_file.h"
#include "data/text/private/text_counts.h"
#include "data/text/private/text_data_parts.h"
#include "tests/data/text_data_show.h"

#include <limits.h>

/* Puts another number at a place of the cache's only block, and allows every column to be as long as the block. */
static void forge(const char *cache, int place, int32_t number)
{
    size_t size;
    char *bytes = scratch_read(cache, &size);
    hl_corpus_end end;
    size_t ends = size - sizeof end;
    memcpy(&end, bytes + ends, sizeof end);
    ck_assert_int_eq(end.n_blocks, 1);
    size_t block = HL_CORPUS_BLOCK_HEAD + 4 * (size_t)end.n_numbers;
    memcpy(bytes + HL_CORPUS_BLOCK_HEAD + 4 * (size_t)place, &number, sizeof number);
    uint32_t crc = hl_corpus_block_crc(0, (const unsigned char *)bytes, block);
    memcpy(bytes, &crc, sizeof crc);
    end.longest_example = end.n_numbers;
    for (int c = 0; c < end.n_columns; c++) {
        end.longest[c] = end.n_numbers;
    }
    int64_t directory = 0;
    end.crc = hl_corpus_end_crc(&directory, &end);
    memcpy(bytes + ends, &end, sizeof end);
    scratch_write(cache, bytes, size);
    free(bytes);
}

/* Opens the data, whose cache of validation is taken up, and reads and counts validation's first example. */
static void check_forged(const hl_text_spec *spec, const char *cache, const char *why)
{
    char text[HL_STATUS_TEXT];
    hl_text_data *data = kept_text(spec);
    hl_text_reader *reader = kept_reader(data);
    hl_text_example example;
    hl_text_counts counts;
    snprintf(text, sizeof text, ": %s; remove the file, and it is made again", why);
    ck_assert_str_eq(hl_text_data_noticed(data, HL_VALIDATION)->made_because, "");
    refused_as(hl_text_data_read(reader, HL_VALIDATION, 1, 0, &example), HL_BAD_FILE, cache, text);
    refused_as(hl_text_counts_of(data, HL_VALIDATION, NULL, NULL, &counts), HL_BAD_FILE, cache, text);
}

typedef struct forgery {
    int place;
    int32_t number;
    const char *why;
} forgery;

static void check_forgeries(const hl_text_spec *spec, const forgery *forgeries, size_t n)
{
    const char *cache = scratch_format("%s", scratch_path("validation.cache"));
    hl_text_data_close(opened_text(spec));
    size_t size;
    char *good = scratch_read(cache, &size);
    for (size_t i = 0; i < n; i++) {
        scratch_write(cache, good, size);
        forge(cache, forgeries[i].place, forgeries[i].number);
        check_forged(spec, cache, forgeries[i].why);
    }
    free(good);
}

static hl_text_spec spec_of(hl_text_task task, const char *train, const char *validation)
{
    hl_text_spec spec = spec_of_two(task, HL_TOKENS_WORDS, train, validation);
    spec.text_column = "1,2";
    spec.label_column = "3";
    return spec;
}

/* Six lengths come first: of tokens, types, rows, ids, sources, place. */
TEST(no_number_of_an_example_leads_out_of_what_it_counts)
{
    hl_text_spec spec = spec_of(HL_TEXT_FILE, "tokens\ttargets\tsources\na b\tb a\t1 _\n",
                                "tokens\ttargets\tsources\nb a\ta b\t1 0\n"); /* 3 pieces: <unk>, a, b */
    static const forgery forgeries[] = {
        { 6, 3, "is damaged: token 3 is not in 0 .. 2" },
        { 7, -1, "is damaged: token -1 is not in 0 .. 2" },
        { 7, INT32_MIN, "is damaged: token -2147483648 is not in 0 .. 2" },
        { 8, -1, "is damaged: a target's row -1 is not in 0 .. 1" },
        { 9, 0, "is damaged: a target's row 0 is not in 1 .. 1" },
        { 9, 2, "is damaged: a target's row 2 is not in 1 .. 1" },
        { 10, 3, "is damaged: a target's id 3 is not in -1 .. 2" },
        { 11, -2, "is damaged: a target's id -2 is not in -1 .. 2" },
        { 12, 2, "is damaged: source 2 is not in -1 .. 1" },
        { 13, -2, "is damaged: source -2 is not in -1 .. 1" },
        { 0, 0, "is damaged: a number of tokens 0 is not in 1 .. 16" },
        { 1, 1, "block 0 is damaged" }, /* of more numbers than there are */
        { 2, 0, "is damaged: a number of targets 0 is not in 1 .. 2" },
        { 2, -1, "block 0 is damaged" },
        { 3, 1, "is damaged: a number of targets' ids 1 is not in 2 .. 2" },
        { 3, INT32_MAX, "block 0 is damaged" },
        { 4, 1, "is damaged: a number of sources 1 is not in 2 .. 2" },
        { 5, 1, "is damaged: the size of a place 1 is not in 2 .. 2" },
    };
    check_forgeries(&spec, forgeries, sizeof forgeries / sizeof *forgeries);
}

TEST(types_targets_and_masks_are_those_of_their_task)
{
    hl_text_spec spec = spec_of(HL_TEXT_CLASSES, "a\tb\tx\n", "b\ta\tx\n"); /* <cls> b <sep> a <sep> */
    static const forgery classes[] = {
        { 6 + 5, 2, "is damaged: type 2 is not in 0 .. 1" },
        { 1, 4, "is damaged: a number of types 4 is not in 5 .. 5" },
        { 6 + 5 + 5, 5, "is damaged: a target's row 5 is not in 0 .. 4" },
        { 6 + 5 + 5 + 1, 1, "is damaged: a target's id 1 is not in -1 .. 0" },
    };
    check_forgeries(&spec, classes, sizeof classes / sizeof *classes);
    scratch_end();
    spec = spec_of(HL_TEXT_CLASSES, "a\tb\tx\n", "b\ta\tx\nb\ta\tx\n"); /* the second one has room for more */
    static const forgery more[] = { { 2, 2, "is damaged: a number of targets 2 is not in 1 .. 1" } };
    check_forgeries(&spec, more, 1);
    scratch_end();
    spec = spec_of(HL_TEXT_MASKED, "a b\n", "b a\na b\n");
    static const forgery masked[] = { { 2, 1, "is damaged: a number of targets 1 is not in 0 .. 0" } };
    check_forgeries(&spec, masked, 1);
}

TEST(no_piece_of_running_text_is_outside_its_vocabulary)
{
    hl_text_spec spec = spec_of(HL_TEXT_NEXT, "abcabcabc", "abcabc");
    spec.kind = HL_TOKENS_BYTES;
    spec.length = 4;
    static const forgery forgeries[] = { { 0, 256, "is damaged: token 256 is not in 0 .. 255" },
                                         { 4, -1, "is damaged: token -1 is not in 0 .. 255" } };
    check_forgeries(&spec, forgeries, 2);
}

SUITE("forged caches")
