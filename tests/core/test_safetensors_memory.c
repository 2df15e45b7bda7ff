/* Files that cost little to write: they cost little memory to open. */
#include "core/files/safetensors.h"
#include "tests/check_suite.h"
#include "tests/safetensors_file.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* KiB that the process held at most, so far. */
static long most_held(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* The opening of a file may take so much more. */
static void expect_little_memory(const char *path, const char *reason, long most)
{
    hl_safetensors *file;
    long before = most_held();
    hl_status status = hl_safetensors_open(path, &file);
    long taken = most_held() - before;
    ck_assert_msg(SANITIZED || taken <= most, "%ld KiB", taken);
    ck_assert_msg(status.code == (reason != NULL ? HL_BAD_FILE : HL_OK), "%s", status.text);
    ck_assert_msg(reason == NULL || strstr(status.text, reason) != NULL, "%s", status.text);
    hl_safetensors_free(file);
}

/* `part` comes again and again, ###### in it being another number each time. */
static const struct {
    const char *begin, *part, *end, *reason;
} large_headers[] = {
    { "{\"a\":[", "[],", "[]]}", "tensor \"a\": its entry is no object" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[", "1,", "1]}}", "has more than 4 dimensions" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[", "[", "", "are no range" },
    { "{\"a\":{", "\"######\":1,", "}}", "holds more than dtype, shape and data_offsets" },
    { "{\"__metadata__\":{\"a\":", "{\"a\":", "", "\"a\" is no string" },
    { "{\"__metadata__\":{", "\"######\":\"\",", "\"000007\":\"\"}}", "a duplicate" },
    { "{", "\"######\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},",
      "\"0\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", NULL },
};

LOOP_TEST(a_large_header_takes_little_memory, 0, ROWS(large_headers))
{
    const char *path = scratch_path("a");
    char *bytes = malloc(8 + HL_SAFETENSORS_MAX_HEADER), part[128];
    ck_assert_ptr_nonnull(bytes);
    uint64_t length = HL_SAFETENSORS_MAX_HEADER;
    memcpy(bytes, &length, 8);
    memset(bytes + 8, ' ', length);
    size_t at = 8 + strlen(large_headers[_i].begin), last = strlen(large_headers[_i].end);
    memcpy(bytes + 8, large_headers[_i].begin, at - 8);
    for (unsigned n = 0;; n++) {
        size_t size = (size_t)snprintf(part, sizeof part, "%s", large_headers[_i].part);
        char *number = strchr(part, '#'), digits[8];
        if (number != NULL) {
            snprintf(digits, sizeof digits, "%06x", n);
            memcpy(number, digits, 6);
        }
        if (at + size + last > 8 + length) {
            break;
        }
        memcpy(bytes + at, part, size);
        at += size;
    }
    memcpy(bytes + at, large_headers[_i].end, last);
    scratch_write(path, bytes, 8 + length);
    free(bytes);
    expect_little_memory(path, large_headers[_i].reason, 16 << 10);
}

/* A sparse file of half a tebibyte, more than any memory holds. */
TEST(a_large_file_is_opened_by_its_header_alone)
{
    static const struct {
        const char *header, *reason;
    } cases[] = {
        { "", "JSON" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", "but its tensors take 8" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", "does not begin where" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[137438953451],\"data_offsets\":[0,549755813804]}}", NULL },
    };
    const char *path = scratch_path("hole");
    for (int i = 0; i < ROWS(cases); i++) {
        safetensors_file_foreign(path, cases[i].header, (const float[]){ 1, 2 }, 8);
        ck_assert_int_eq(truncate(path, (off_t)1 << 39), 0);
        expect_little_memory(path, cases[i].reason, 1 << 10);
    }
}

SUITE("safetensors' memory")
