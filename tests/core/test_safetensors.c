#include "core/files/safetensors.h"

#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/safetensors_file.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const float weight[6] = { 1, -2, 0.5f, FLT_MAX, -FLT_MIN, 3 };
static const float step[1] = { 42 }, counting[4] = { 1, 2, 3, 4 };
static const hl_metadata_item items[] = {
    { "format", "pt" },
    { "config", "[model]\nheads = 4 # \"four\"\tand \\ a backslash" },
    { "author", "Zo\xc3\xab" },
    { "empty", "" },
};

static hl_status write_example(const char *path)
{
    const hl_named_tensor tensors[] = {
        { "encoder.weight", HL_SHAPE(2, 3), weight },
        { "nothing", HL_SHAPE(0, 7), NULL },
        { "step", { .n_dims = 0 }, step },
        { "four", HL_SHAPE(1, 2, 1, 3), weight },
    };
    return safetensors_file_write(path, tensors, 4, items, 4);
}

static void refused(const char *path, const char *reason)
{
    hl_safetensors *file;
    hl_status status = safetensors_file_open(path, &file);
    ck_assert_msg(status.code == HL_BAD_FILE, "accepted, where this was expected: %s", reason);
    ck_assert_ptr_null(file);
    ck_assert_msg(strstr(status.text, path) == status.text && strstr(status.text, reason) != NULL, "%s", status.text);
}

TEST(what_was_written_is_read_again)
{
    const char *path = scratch_path("a");
    CHECK_OK(write_example(path));
    hl_safetensors *file = safetensors_file_whole(path);
    ck_assert(hl_safetensors_has_checksum(file));
    static const char *const names[] = { "encoder.weight", "nothing", "step", "four" };
    ck_assert_int_eq(hl_safetensors_count(file), 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(hl_safetensors_name(file, i), names[i]);
        ck_assert_int_eq(hl_safetensors_find(file, names[i]), i);
    }
    ck_assert_int_eq(hl_safetensors_find(file, "__metadata__"), -1);
    ck_assert(hl_shape_equal(hl_safetensors_shape(file, 0), HL_SHAPE(2, 3)));
    ck_assert(hl_shape_equal(hl_safetensors_shape(file, 1), HL_SHAPE(0, 7)));
    ck_assert_int_eq(hl_safetensors_shape(file, 2).n_dims, 0);
    ck_assert(hl_shape_equal(hl_safetensors_shape(file, 3), HL_SHAPE(1, 2, 1, 3)));
    float numbers[6];
    safetensors_file_copy(file, 0, numbers);
    ck_assert_mem_eq(numbers, weight, sizeof weight);
    safetensors_file_copy(file, 3, numbers);
    ck_assert_mem_eq(numbers, weight, sizeof weight);
    safetensors_file_copy(file, 2, numbers);
    ck_assert_float_eq(numbers[0], 42);
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(hl_safetensors_metadata(file, items[i].key), items[i].value);
    }
    ck_assert_str_eq(hl_safetensors_metadata(file, "writer"), "headlight");
    ck_assert_ptr_null(hl_safetensors_metadata(file, "step"));
    hl_safetensors_free(NULL);
}

TEST(the_bytes_are_as_the_format_says)
{
    const char *path = scratch_path("a");
    static const float two[2] = { 1, 2 };
    const hl_named_tensor tensor = { "w.b", HL_SHAPE(2), two };
    CHECK_OK(safetensors_file_write(path, &tensor, 1, items, 1));
    size_t size;
    char *bytes = scratch_read(path, &size);
    uint64_t length;
    memcpy(&length, bytes, 8);
    ck_assert_uint_eq(length % 8, 0);
    ck_assert_uint_eq(size, 8 + length + sizeof two);
    ck_assert(memcmp(bytes + 8 + length, two, sizeof two) == 0);
    char digits[9] = "";
    char *checksum = strstr(bytes + 8, "checksum") + strlen("checksum\":\"");
    memcpy(digits, checksum, 8);
    memset(checksum, '0', 8);
    char expected[9];
    snprintf(expected, sizeof expected, "%08lx", crc32(0, (const Bytef *)bytes, (uInt)size));
    ck_assert_str_eq(digits, expected);
    static const char header[] =
        "{\"__metadata__\":{\"checksum\":\"00000000\",\"writer\":\"headlight\",\"format\":\"pt\"},"
        "\"w.b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    ck_assert_uint_ne((sizeof header - 1) % 8, 0); /* or the padding would not be seen */
    ck_assert_mem_eq(bytes + 8, header, sizeof header - 1);
    ck_assert_uint_lt(length - (sizeof header - 1), 8);
    for (size_t i = 8 + sizeof header - 1; i < 8 + length; i++) {
        ck_assert_int_eq(bytes[i], ' ');
    }
    free(bytes);
}

TEST(the_same_content_makes_the_same_bytes)
{
    const char *a = scratch_path("a");
    CHECK_OK(write_example(a));
    size_t size;
    char *bytes = scratch_read(a, &size);
    CHECK_OK(write_example(scratch_path("b")));
    ck_assert(scratch_holds(scratch_path("b"), bytes, size));
    free(bytes);
}

TEST(a_file_of_nothing_is_a_file)
{
    const char *path = scratch_path("a");
    CHECK_OK(safetensors_file_write(path, NULL, 0, NULL, 0));
    hl_safetensors *file = safetensors_file_whole(path);
    ck_assert_int_eq(hl_safetensors_count(file), 0);
    ck_assert(hl_safetensors_has_checksum(file));
}

static void check_refused(const char *path, const char *bytes, size_t size, const char *what, size_t where)
{
    scratch_write(path, bytes, size);
    hl_safetensors *file;
    hl_status status = safetensors_file_open(path, &file);
    ck_assert_msg(status.code == HL_BAD_FILE, "%s %zu was accepted", what, where);
    ck_assert_ptr_null(file);
}

TEST(no_wrong_bit_and_no_missing_byte_is_accepted)
{
    const char *path = scratch_path("a");
    CHECK_OK(write_example(path));
    size_t size;
    char *bytes = scratch_read(path, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        check_refused(path, bytes, size, "a flip of bit", bit);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t shorter = 0; shorter < size; shorter++) {
        check_refused(path, bytes, shorter, "a file cut to", shorter);
    }
    check_refused(path, bytes, size + 1, "a byte more than", size); /* the zero that scratch_read adds */
    scratch_write(path, bytes, size);
    safetensors_file_whole(path);
    free(bytes);
}

TEST(files_of_other_programs_are_read)
{
    const char *path = scratch_path("a");
    /* As PyTorch's writer, without metadata; entries and their data in different orders; data at odd addresses. */
    safetensors_file_foreign(path,
                             "{\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[4,12]},"
                             "\"a\":{\"shape\":[],\"data_offsets\":[0,4],\"dtype\":\"F32\"}}   ",
                             counting, 12);
    hl_safetensors *file = safetensors_file_whole(path);
    ck_assert(!hl_safetensors_has_checksum(file));
    ck_assert_int_eq(hl_safetensors_count(file), 2);
    ck_assert_str_eq(hl_safetensors_name(file, 0), "a");
    ck_assert_str_eq(hl_safetensors_name(file, 1), "b");
    float numbers[2];
    safetensors_file_copy(file, 0, numbers);
    ck_assert_float_eq(numbers[0], 1);
    safetensors_file_copy(file, 1, numbers);
    ck_assert_float_eq(numbers[0], 2);
    ck_assert_float_eq(numbers[1], 3);
    ck_assert_ptr_null(hl_safetensors_metadata(file, "format"));
    /* A checksum of another program's own is its affair. */
    safetensors_file_foreign(path, "{\"__metadata__\":{\"format\":\"pt\",\"checksum\":\"sha256:77\"}}", NULL, 0);
    file = safetensors_file_whole(path);
    ck_assert(!hl_safetensors_has_checksum(file));
    ck_assert_str_eq(hl_safetensors_metadata(file, "format"), "pt");
}

TEST(numbers_of_double_precision_are_converted)
{
    const char *path = scratch_path("a");
    static const double numbers[3] = { 0.1, -1e300, 2 };
    static const char header[] = "{\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}";
    ck_assert_uint_ne((sizeof header - 1) % 8, 0);
    safetensors_file_foreign(path, header, numbers, sizeof numbers);
    hl_safetensors *file = safetensors_file_whole(path);
    float read[3];
    safetensors_file_copy(file, 0, read);
    ck_assert_float_eq(read[0], 0.1f);
    ck_assert_float_eq(read[1], -INFINITY);
    ck_assert_float_eq(read[2], 2);
}

#define ENTRY(shape, begin, end) "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}"

static const struct {
    const char *header;
    size_t payload;
    const char *reason;
} bad[] = {
    { "", 0, "not valid JSON" },
    { "[]", 0, "no JSON object" },
    { "{\"a\":" ENTRY("[1]", 0, 4), 4, "not valid JSON" },
    { "{\"a\":" ENTRY("[1]", 0, 4) ",\"a\":" ENTRY("[1]", 0, 4) "}", 4, "duplicate" },
    { "{\"a\":" ENTRY("[1]", 0, 4) "}x", 4, "not valid JSON" },
    { "{\"a\\u0000b\":" ENTRY("[1]", 0, 4) "}", 4, "not valid JSON" },
    { "{\"\xff\":" ENTRY("[1]", 0, 4) "}", 4, "not valid JSON" },
    { "{\"a\":7}", 0, "tensor \"a\": its entry is no object" },
    { "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "tensor \"a\": has no dtype" },
    { "{\"a\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
      "tensor \"a\": its dtype F31 is none of the format's" },
    { "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "does not match its shape" },
    { "{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,1]}}", 1, "does not match its shape" },
    { "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "tensor \"a\": has no shape" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "its data_offsets are no range" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4, "holds more than" },
    { "{\"a\":" ENTRY("[1,1,1,1,1]", 0, 4) "}", 4, "tensor \"a\": has more than 4 dimensions; at most 4" },
    { "{\"a\":" ENTRY("[1,1,1,1 x]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[1,1,1,1,]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[-1]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[1.0]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[\"1\"]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[9999999999999999999]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[2]", 0, 4) "}", 4, "does not match its shape" },
    { "{\"a\":" ENTRY("[1]", 0, 8) "}", 8, "does not match its shape" },
    { "{\"a\":" ENTRY("[4294967296,4294967296]", 0, 0) "}", 0, "does not match its shape" },
    { "{\"a\":" ENTRY("[2305843009213693952,2]", 0, 0) "}", 0, "does not match its shape" },
    { "{\"a\":" ENTRY("[4611686018427387905]", 0, 4) "}", 4, "does not match its shape" },
    { "{\"a\":" ENTRY("[1]", 4, 0) "}", 4, "are no range" },
    { "{\"a\":" ENTRY("[1]", -4, 0) "}", 4, "are no range" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 8, "are no range" },
    { "{\"a\":" ENTRY("[1]", 4, 8) "}", 8, "does not begin where" },
    { "{\"a\":" ENTRY("[1]", 0, 4) ",\"b\":" ENTRY("[1]", 8, 12) "}", 12, "\"b\": its data does not begin where" },
    { "{\"a\":" ENTRY("[2]", 0, 8) ",\"b\":" ENTRY("[1]", 4, 8) "}", 8, "\"b\": its data does not begin where" },
    { "{\"a\":" ENTRY("[1]", 0, 4) ",\"b\":" ENTRY("[1]", 0, 4) "}", 4, "does not begin where" },
    { "{\"a\":" ENTRY("[2]", 0, 8) "}", 4, "holds 4 bytes of data, but its tensors take 8" },
    { "{\"a\":" ENTRY("[1]", 0, 4) "}", 8, "holds 8 bytes of data, but its tensors take 4" },
    { "{\"__metadata__\":[]}", 0, "__metadata__ is no object" },
    { "{\"__metadata__\":{\"step\":7}}", 0, "\"step\" is no string" },
    { "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "once each" },
    { "{\"a\":" ENTRY("[01]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[1,]", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[1", 0, 4) "}", 4, "what is no size" },
    { "{\"a\":" ENTRY("[1]", 0, 4) ",}", 4, "not valid JSON: no text at byte" },
    { "{\"a\" " ENTRY("[1]", 0, 4) "}", 4, "not valid JSON: no ':' at byte 5" },
    { "{\"a\":" ENTRY("[1]", 0, 4) " \"b\":", 4, "not valid JSON: neither ',' nor '}' at byte" },
    { "{\"a", 0, "not valid JSON: a text without an end at byte 2" },
    { "{\"a\\", 0, "not valid JSON: a text without an end at byte 2" },
    { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "a duplicate \"__metadata__\"" },
    { "{\"__metadata__\":{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}}", 0, "\"a\": a duplicate" },
    { "{\"__metadata__\":{\"writer\":\"headlight\"}}", 0, "its checksum is not in place" },
    /* Written anew by a program that keeps the metadata, in an order of its own. */
    { "{\"__metadata__\":{\"writer\":\"headlight\",\"checksum\":\"00000000\"}}", 0, "its checksum is not in place" },
    { "{\"__metadata__\":{\"checksum\":\"0000000A\",\"writer\":\"headlight\"}}", 0, "its checksum is not in place" },
    { "{\"__metadata__\":{\"checksum\":\"00000000\"}}", 0,
      "is damaged or was changed: its checksum should be 00000000 and is " },
};

LOOP_TEST(a_bad_header_is_refused_with_its_reason, 0, ROWS(bad))
{
    const char *path = scratch_path("a");
    safetensors_file_foreign(path, bad[_i].header, counting, bad[_i].payload);
    refused(path, bad[_i].reason);
}

TEST(a_header_that_is_too_long_or_too_deep_is_refused)
{
    const char *path = scratch_path("a");
    static char bytes[8 + HL_SAFETENSORS_MAX_HEADER + 1];
    memset(bytes, '[', sizeof bytes);
    uint64_t length = HL_SAFETENSORS_MAX_HEADER + 1;
    memcpy(bytes, &length, 8);
    scratch_write(path, bytes, sizeof bytes);
    refused(path, "its header is longer than");
    length--;
    memcpy(bytes, &length, 8);
    scratch_write(path, bytes, sizeof bytes - 1);
    refused(path, "no JSON object");
    length = UINT64_MAX;
    memcpy(bytes, &length, 8);
    scratch_write(path, bytes, 16);
    refused(path, "its header is longer than");
    length = 9;
    memcpy(bytes, &length, 8);
    scratch_write(path, bytes, 16);
    refused(path, "ends within its header");
    scratch_write(path, bytes, 7);
    refused(path, "it has only 7 bytes");
}

TEST(a_file_that_is_missing_or_none_is_refused)
{
    refused(scratch_path("none"), "No such file");
    const char *folder = scratch_path("folder");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    refused(folder, "is a folder");
}

TEST(metadata_that_could_not_be_read_again_is_not_written)
{
    const char *path = scratch_path("a");
    hl_status status = safetensors_file_write(path, NULL, 0, &(hl_metadata_item){ "config", "Zo\xeb" }, 1);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, "\"config\" is not UTF-8"));
    ck_assert(!scratch_exists(path));

    char *text = malloc(HL_SAFETENSORS_MAX_HEADER);
    memset(text, 'x', HL_SAFETENSORS_MAX_HEADER);
    text[HL_SAFETENSORS_MAX_HEADER - 1] = '\0';
    status = safetensors_file_write(path, NULL, 0, &(hl_metadata_item){ "config", text }, 1);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, path));
    ck_assert(!scratch_exists(path));
    free(text);
}

/* Leaves on the stack, where the writer's variables will lie, what jansson calls text that is not UTF-8: a failure
 * whose reason the writer did not look for itself would be taken for that. */
static void litter_stack(void)
{
    volatile char litter[16384];
    for (size_t i = 0; i < sizeof litter; i++) {
        litter[i] = json_error_invalid_utf8;
    }
}

static hl_status save(const char *path, int version)
{
    litter_stack();
    float numbers[3] = { 1, 2, (float)version };
    const hl_named_tensor tensors[] = {
        { "a tensor with a long name", HL_SHAPE(3), numbers },
        { "b", HL_SHAPE(1, 1, 1, 2), numbers },
    };
    hl_file file;
    hl_file_create(&file, path);
    hl_safetensors_write(&file, tensors, 2, items, 4);
    return hl_file_commit(&file, HL_DURABLE);
}

static hl_status load(const char *path)
{
    hl_safetensors *file;
    HL_TRY(hl_safetensors_open(path, &file));
    float numbers[3];
    ck_assert_int_eq(hl_safetensors_find(file, "a tensor with a long name"), 0);
    hl_safetensors_place places[2] = { { .data = numbers } };
    hl_status status = hl_safetensors_read(file, places);
    ck_assert(status.code != HL_OK || (numbers[1] == 2 && numbers[2] == 0));
    ck_assert_str_eq(hl_safetensors_metadata(file, "config"), items[1].value);
    hl_safetensors_free(file);
    return status;
}

TEST(no_failing_call_harms_the_old_file)
{
    fault_checks_saving(save, 2);
}

TEST(no_failing_call_is_missed_in_reading)
{
    fault_checks_loading(save, load, 1);
}

/* ---- more than is read at once ---- */

enum { MANY = 3 << 15 };

static hl_status save_many(const char *path, int version)
{
    static float numbers[MANY];
    numbers[MANY - 1] = (float)version;
    const hl_named_tensor tensors[] = { { "many", HL_SHAPE(MANY), numbers }, { "twice", HL_SHAPE(MANY), numbers } };
    return safetensors_file_write(path, tensors, 2, items, 1);
}

static hl_status load_many(const char *path)
{
    static float numbers[MANY];
    numbers[MANY - 1] = 7;
    hl_safetensors *file;
    HL_TRY(hl_safetensors_open(path, &file));
    hl_safetensors_place places[2] = { { .data = numbers }, { .data = numbers, .compares = true } };
    hl_status status = hl_safetensors_read(file, places);
    ck_assert(status.code != HL_OK || (numbers[MANY - 1] == 0 && !places[0].differs && !places[1].differs));
    hl_safetensors_free(file);
    return status;
}

TEST(no_failing_call_is_missed_in_reading_piece_by_piece)
{
    fault_checks_loading(save_many, load_many, 1);
}

TEST(pieces_are_read_past_interruptions)
{
    const char *path = scratch_path("many");
    CHECK_OK(save_many(path, 0));
    faults_begin();
    faults_interrupts(true);
    faults_pieces(1000);
    hl_status status = load_many(path);
    ck_assert_int_gt(faults_interrupted(), 2 * 4 * MANY / 1000);
    faults_end();
    CHECK_OK(status);
}

TEST(numbers_are_compared_where_they_are_not_wanted)
{
    const char *path = scratch_path("many");
    CHECK_OK(save_many(path, 0));
    static float numbers[MANY];
    hl_safetensors *file = safetensors_file_whole(path);
    static const int changed[] = { 0, MANY / 2, MANY - 1 };
    for (int i = 0; i < 3; i++) {
        hl_safetensors_place places[2] = { { .data = numbers, .compares = true }, { .data = NULL } };
        numbers[changed[i]] = -0.0f; /* another bit, though the same number */
        CHECK_OK(hl_safetensors_read(file, places));
        ck_assert(places[0].differs && !places[1].differs);
        ck_assert(signbit(numbers[changed[i]]) != 0);
        numbers[changed[i]] = 0;
        places[0].differs = false;
        CHECK_OK(hl_safetensors_read(file, places));
        ck_assert(!places[0].differs);
    }
}

SUITE("safetensors")
