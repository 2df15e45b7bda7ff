#include "core/files/safetensors.h"

#include "tests/check_suite.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"

#include <string.h>

TEST(double_numbers_keep_every_bit_and_float_ones_are_widened)
{
    const char *path = scratch_path("a");
    static const double numbers[2] = { 0.1, -1e300 };
    hl_file written;
    hl_file_create(&written, path);
    hl_safetensors_write(&written, &(hl_named_tensor){ "w", HL_SHAPE(2), numbers }, 1, NULL, 0);
    CHECK_OK(hl_file_commit(&written, HL_VOLATILE));
    hl_safetensors *file;
    CHECK_OK(safetensors_file_open(path, &file));
    double read[2];
    safetensors_file_copy(file, 0, read);
    ck_assert(memcmp(read, numbers, sizeof numbers) == 0);
    hl_safetensors_free(file);

    static const char header[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    static const float singles[2] = { 0.1f, 3 };
    char bytes[8 + sizeof header - 1 + sizeof singles] = { sizeof header - 1 };
    memcpy(bytes + 8, header, sizeof header - 1);
    memcpy(bytes + 8 + sizeof header - 1, singles, sizeof singles);
    scratch_write(path, bytes, sizeof bytes);
    CHECK_OK(safetensors_file_open(path, &file));
    safetensors_file_copy(file, 0, read);
    ck_assert_double_eq(read[0], (double)0.1f);
    ck_assert_double_eq(read[1], 3);
    hl_safetensors_free(file);
}

SUITE("safetensors in double")
