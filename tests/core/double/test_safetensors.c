#include "core/files/safetensors.h"

#include "tests/check_suite.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"

#include <string.h>

TEST(double_numbers_keep_every_bit_and_float_ones_are_widened)
{
    const char *path = scratch_path("a");
    static const double numbers[2] = { 0.1, -1e300 };
    CHECK_OK(safetensors_file_write(path, &(hl_named_tensor){ "w", HL_SHAPE(2), numbers }, 1, NULL, 0));
    hl_safetensors *file = safetensors_file_whole(path);
    double read[2];
    safetensors_file_copy(file, 0, read);
    ck_assert(memcmp(read, numbers, sizeof numbers) == 0);

    static const float singles[2] = { 0.1f, 3 };
    safetensors_file_foreign(path, "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", singles,
                             sizeof singles);
    file = safetensors_file_whole(path);
    safetensors_file_copy(file, 0, read);
    ck_assert_double_eq(read[0], (double)0.1f);
    ck_assert_double_eq(read[1], 3);
}

SUITE("safetensors in double")
