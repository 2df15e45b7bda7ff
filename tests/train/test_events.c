/* The bytes of TensorBoard's event files, against records made by its own library, with which
 * tests/peer/check_tensorboard.py reads whole files. */
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/scratch.h"
#include "train/private/events.h"

#include <stdlib.h>
#include <string.h>

/* RFC 3720, B.4. */
TEST(crc32c_is_castagnolis)
{
    unsigned char bytes[32];
    memset(bytes, 0, sizeof bytes);
    ck_assert_uint_eq(hl_crc32c(bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    ck_assert_uint_eq(hl_crc32c(bytes, sizeof bytes), 0x62a8ab43);
    for (int i = 0; i < 32; i++) {
        bytes[i] = (unsigned char)i;
    }
    ck_assert_uint_eq(hl_crc32c(bytes, sizeof bytes), 0x46dd794e);
    for (int i = 0; i < 32; i++) {
        bytes[i] = (unsigned char)(31 - i);
    }
    ck_assert_uint_eq(hl_crc32c(bytes, sizeof bytes), 0x113fdb5c);
    const unsigned char read[48] = {
        [0] = 0x01, [1] = 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02
    };
    ck_assert_uint_eq(hl_crc32c(read, sizeof read), 0xd9963a56);
    ck_assert_uint_eq(hl_crc32c("", 0), 0);
}

#define SAME_BYTES(text, known)                                   \
    do {                                                          \
        ck_assert_uint_eq((text).size, sizeof(known) - 1);        \
        ck_assert_mem_eq((text).bytes, known, sizeof(known) - 1); \
    } while (0)

#define SECONDS "\x09\x00\x00\x00\x00\x00\x00\xf8\x3f" /* 1.5 */

TEST(a_record_has_these_bytes)
{
    hl_text *file = scratch_text(), *values = scratch_text();
    hl_event_record(file, 1.5, 0, NULL);
    SAME_BYTES(*file, "\x1a\0\0\0\0\0\0\0\x12\x9b\xd8\x2d" SECONDS "\x10\x00\x1a\x0d"
                      "brain.Event:2\xd3\xdc\x53\x1e");
    file->size = 0;
    hl_event_scalar(values, "loss/train", 0.25);
    hl_event_record(file, 1.5, 300, values);
    SAME_BYTES(*file, "\x21\0\0\0\0\0\0\0\x01\x7b\xec\xf6" SECONDS "\x10\xac\x02"
                      "\x2a\x13\x0a\x11\x0a\x0aloss/train\x15\x00\x00\x80\x3e\x6c\x56\x11\xa4");
}

TEST(values_have_these_bytes)
{
    char content[32] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x2c\0\0\0\x07";
    const hl_text png = { .bytes = content, .size = 24 }, markdown = { .bytes = (char[]){ "a*b" }, .size = 3 };
    hl_text *values = scratch_text();
    hl_event_image(values, "m", &png);
    SAME_BYTES(*values, "\x0a\x26\x0a\x01m\x22\x21\x08\x07\x10\xac\x02\x18\x03\x22\x18\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
                        "\0\0\x01\x2c\0\0\0\x07");
    values->size = 0;
    hl_event_markdown(values, "c", &markdown);
    SAME_BYTES(*values, "\x0a\x1a\x0a\x01"
                        "c\x4a\x0a\x0a\x08\x0a\x04text\x12\x00\x42\x09\x08\x07\x12\x00\x42\x03"
                        "a*b");
}

TEST(a_setting_is_a_number_a_truth_value_or_a_text)
{
    static const struct {
        const char *value, *held;
        size_t size;
    } known[] = {
        { "0.5", "\x11\0\0\0\0\0\0\xe0\x3f", 9 },
        { "-2", "\x11\0\0\0\0\0\0\0\xc0", 9 },
        { "true", "\x20\x01", 2 },
        { "false", "\x20\x00", 2 },
        { "4, 2",
          "\x1a\x04"
          "4, 2",
          6 },
        { "nan", "\x1a\x03nan", 5 },
        { "0x2",
          "\x1a\x03"
          "0x2",
          5 },
        { "1e",
          "\x1a\x02"
          "1e",
          4 },
        { "", "\x1a\x00", 2 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        hl_text *settings = scratch_text();
        hl_event_setting(settings, "k", known[i].value);
        size_t size = known[i].size;
        ck_assert_uint_eq(settings->size, size + 7);
        const char begin[] = { 0x0a, (char)(size + 5), 0x0a, 0x01, 'k', 0x12, (char)size };
        ck_assert_mem_eq(settings->bytes, begin, sizeof begin);
        ck_assert_mem_eq(settings->bytes + sizeof begin, known[i].held, size);
    }
}

TEST(numbers_of_any_size_are_written_and_read_back)
{
    static const int64_t steps[] = { 0, 1, 127, 128, 16383, 16384, (int64_t)1 << 32, INT64_MAX };
    static const size_t bytes[] = { 1, 1, 1, 2, 2, 3, 5, 9 }; /* seven bits each */
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        hl_text *file = scratch_text();
        int64_t step = -1;
        hl_event_record(file, 0, steps[i], NULL);
        ck_assert_uint_eq(file->size, 16 + 9 + 1 + bytes[i] + 15);
        ck_assert_uint_eq(hl_event_read(file->bytes, file->size, &step), file->size);
        ck_assert_int_eq(step, steps[i]);
    }
    for (size_t length = 100; length < 140; length++) { /* of a tag, and of all that holds it */
        hl_text *file = scratch_text(), *values = scratch_text();
        char tag[140] = "";
        memset(tag, 'x', length);
        tag[length] = '\0';
        hl_event_scalar(values, tag, 1);
        ck_assert_uint_eq(values->size,
                          1 + (length + 7 + (length > 127) > 127 ? 2 : 1) + 2 + (length > 127) + length + 5);
        hl_event_record(file, 0, 5, values);
        int64_t step;
        ck_assert_uint_eq(hl_event_read(file->bytes, file->size, &step), file->size);
    }
}

/* In memory of their own, so that a sanitizer sees a byte that is read beyond them. */
TEST(what_is_torn_or_damaged_is_no_record)
{
    hl_text *file = scratch_text();
    int64_t step = 0;
    hl_event_record(file, 1e9, 200, NULL);
    for (size_t size = 0; size < file->size; size++) {
        char *torn = malloc(size + 1);
        memcpy(torn, file->bytes, size);
        ck_assert_uint_eq(hl_event_read(torn, size, &step), 0);
        free(torn);
    }
    for (size_t bit = 0; bit < 8 * file->size; bit++) {
        file->bytes[bit / 8] = (char)(file->bytes[bit / 8] ^ 1 << bit % 8);
        ck_assert_uint_eq(hl_event_read(file->bytes, file->size, &step), 0);
        file->bytes[bit / 8] = (char)(file->bytes[bit / 8] ^ 1 << bit % 8);
    }
    hl_text_add(file, "more", 4);
    ck_assert_uint_eq(hl_event_read(file->bytes, file->size, &step), file->size - 4);
}

/* Records with good sums that are no events of ours: no time first, no step second, a step that does not end. */
TEST(a_record_without_a_step_is_not_read)
{
    static const char *const made[] = {
        "\x11\x01\x02\x03\x04\x05\x06\x07\x08\x10\x05",
        "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x18\x05",
        "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x10\x80\x80",
        "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
        "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x10",
        "\x09",
        "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x10\x05", /* the same as it should be */
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        size_t size = strlen(made[i]);
        unsigned char record[64] = { (unsigned char)size };
        memcpy(record + 12, made[i], size);
        for (int part = 0; part < 2; part++) {
            const unsigned char *of = part == 0 ? record : record + 12;
            uint32_t crc = hl_crc32c(of, part == 0 ? 8 : size), masked = (crc >> 15 | crc << 17) + 0xa282ead8U;
            for (int b = 0; b < 4; b++) {
                record[(part == 0 ? 8 : 12 + size) + (size_t)b] = (unsigned char)(masked >> 8 * b);
            }
        }
        int64_t step = -1;
        bool good = i + 1 == sizeof made / sizeof *made;
        ck_assert_uint_eq(hl_event_read((const char *)record, size + 16, &step), good ? size + 16 : 0);
        ck_assert_int_eq(step, good ? 5 : -1);
    }
}

static hl_status make_all(void *context)
{
    hl_text *file = context, values = { 0 }, settings = { 0 };
    const hl_text bytes = { .bytes = (char[]){ "0123456789012345678901234567890" }, .size = 31 };
    *file = (hl_text){ 0 };
    hl_event_scalar(&values, "loss/train", 1);
    hl_event_image(&values, "maps/L0H0", &bytes);
    hl_event_markdown(&values, "config", &bytes);
    hl_event_setting(&settings, "model.heads", "4");
    hl_event_settings(&values, &settings);
    hl_event_record(file, 0, 1, &values);
    hl_text_free(&values);
    hl_text_free(&settings);
    return hl_text_status(file);
}

static void free_all(void *context)
{
    hl_text_free(context);
}

TEST(without_memory_the_file_has_failed)
{
    hl_text file;
    faults_begin();
    fault_checks_allocations(make_all, free_all, &file);
    faults_end();
}

SUITE("events")
