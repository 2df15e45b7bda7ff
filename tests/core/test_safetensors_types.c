/* Numbers of other types than our own, as open models' files hold them. */
#include "core/files/safetensors.h"

#include "tests/check_suite.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 1 << 16 }; /* values of 16 bits */

/* Opens the file of this header and payload. */
static hl_safetensors *open_foreign(const char *header, const void *payload, size_t size)
{
    const char *path = scratch_path("a");
    safetensors_file_foreign(path, header, payload, size);
    return safetensors_file_whole(path);
}

/* What IEEE 754 says of a number with a sign, so many bits of exponent and the rest of fraction. */
static float value_of(unsigned bits, int exponent_bits)
{
    int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    int fraction = (int)bits & ((1 << fraction_bits) - 1);
    float sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return fraction != 0 ? NAN : sign * INFINITY;
    }
    int hidden = exponent != 0 ? 1 << fraction_bits : 0;
    return sign * ldexpf((float)(hidden + fraction), (exponent != 0 ? exponent : 1) - bias - fraction_bits);
}

static const struct {
    const char *name;
    int exponent_bits;
} halves[] = { { "F16", 5 }, { "BF16", 8 } };

LOOP_TEST(every_number_of_half_precision_is_exact, 0, ROWS(halves))
{
    static uint16_t numbers[ALL];
    static float read[ALL];
    for (unsigned i = 0; i < ALL; i++) {
        numbers[i] = (uint16_t)i;
    }
    char header[128];
    snprintf(header, sizeof header, "{\"w\":{\"dtype\":\"%s\",\"shape\":[65536],\"data_offsets\":[0,131072]}}",
             halves[_i].name);
    hl_safetensors *file = open_foreign(header, numbers, sizeof numbers);
    ck_assert(hl_safetensors_can_read(file, 0));
    safetensors_file_copy(file, 0, read);
    for (unsigned i = 0; i < ALL; i++) {
        float expected = value_of(i, halves[_i].exponent_bits);
        ck_assert_msg(isnan(expected) ? isnan(read[i]) : read[i] == expected, "%#x is %a, not %a", i, expected,
                      read[i]);
        ck_assert_msg((signbit(read[i]) != 0) == (i >= ALL / 2), "%#x has another sign", i);
    }
}

/* Types between which the two floats "before" and "after" stand. */
static const struct {
    const char *type, *shape;
    int bytes;
} skipped[] = {
    { "I64", "[2]", 16 },    { "I32", "[2]", 8 },     { "I16", "[2]", 4 },     { "I8", "[2]", 2 },
    { "U64", "[2]", 16 },    { "U32", "[2]", 8 },     { "U16", "[2]", 4 },     { "U8", "[3]", 3 },
    { "BOOL", "[3]", 3 },    { "F8_E4M3", "[3]", 3 }, { "C64", "[1]", 8 },     { "F8_E5M2", "[3]", 3 },
    { "F8_E8M0", "[3]", 3 }, { "F4", "[4,2]", 4 },    { "F6_E2M3", "[4]", 3 },
};

LOOP_TEST(other_types_are_passed_over, 0, ROWS(skipped))
{
    int bytes = skipped[_i].bytes;
    char header[512], payload[64] = { 0 };
    static const float numbers[2] = { 3, -5 };
    snprintf(header, sizeof header,
             "{\"before\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
             "\"skipped\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[4,%d]},"
             "\"after\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[%d,%d]}}",
             skipped[_i].type, skipped[_i].shape, 4 + bytes, 4 + bytes, 8 + bytes);
    memcpy(payload, &numbers[0], 4);
    memcpy(payload + 4 + bytes, &numbers[1], 4);
    hl_safetensors *file = open_foreign(header, payload, (size_t)bytes + 8);
    float read[2][4];
    hl_safetensors_place places[3] = { { .data = read[0] }, { .data = NULL }, { .data = read[1] } };
    ck_assert(hl_safetensors_can_read(file, 0) && !hl_safetensors_can_read(file, 1));
    CHECK_OK(hl_safetensors_read(file, places));
    ck_assert_float_eq(read[0][0], 3);
    ck_assert_float_eq(read[1][0], -5);

    places[1].data = read[0];
    hl_status status = hl_safetensors_read(file, places);
    char expected[128];
    snprintf(expected, sizeof expected, "tensor \"skipped\": its dtype is %s; only F32, F64, F16 and BF16 can be read",
             skipped[_i].type);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, expected) != NULL, "%s", status.text);
}

TEST(a_matrix_is_transposed_as_it_is_read)
{
    enum { N = 97, M = 1001 }; /* more than is read at once, pieces that end within a row */
    static float stored[N][M], read[M][N];
    static uint16_t halves_stored[N][M];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            stored[i][j] = (float)(i * M + j);
            halves_stored[i][j] = (uint16_t)(i * 131 + j);
        }
    }
    hl_safetensors *file = open_foreign("{\"w\":{\"dtype\":\"F32\",\"shape\":[97,1001],\"data_offsets\":[0,388388]}}",
                                        stored, sizeof stored);
    hl_safetensors_place place = { .data = read[0], .transposed = true };
    CHECK_OK(hl_safetensors_read(file, &place));
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            ck_assert_float_eq(read[j][i], stored[i][j]);
        }
    }
    place.compares = true;
    CHECK_OK(hl_safetensors_read(file, &place));
    ck_assert(!place.differs);
    read[M - 1][0] += 1;
    CHECK_OK(hl_safetensors_read(file, &place));
    ck_assert(place.differs);

    file = open_foreign("{\"w\":{\"dtype\":\"F16\",\"shape\":[97,1001],\"data_offsets\":[0,194194]}}", halves_stored,
                        sizeof halves_stored);
    place = (hl_safetensors_place){ .data = read[0], .transposed = true };
    CHECK_OK(hl_safetensors_read(file, &place));
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            ck_assert_float_eq(read[j][i], value_of(halves_stored[i][j], 5));
        }
    }
}

/* Fewer numbers than are read at once, and more; what follows in memory stays. */
TEST(the_first_numbers_alone_are_read)
{
    enum { COUNT = 97097 };
    static const size_t firsts[] = { 1, 1001, 70000 };
    static float stored[COUNT], read[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        stored[i] = (float)i;
    }
    hl_safetensors *file = open_foreign("{\"w\":{\"dtype\":\"F32\",\"shape\":[97,1001],\"data_offsets\":[0,388388]}}",
                                        stored, sizeof stored);
    for (int c = 0; c < 3; c++) {
        hl_safetensors_place place = { .data = read, .first = firsts[c] };
        read[firsts[c]] = -1;
        CHECK_OK(hl_safetensors_read(file, &place));
        ck_assert_mem_eq(read, stored, firsts[c] * sizeof *read);
        ck_assert_float_eq(read[firsts[c]], -1);
    }
}

TEST(what_is_no_matrix_is_not_transposed)
{
    static const float numbers[3] = { 1, 2, 3 };
    float read[3];
    hl_safetensors *file =
        open_foreign("{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}", numbers, sizeof numbers);
    hl_safetensors_place place = { .data = read, .transposed = true };
    hl_status status = hl_safetensors_read(file, &place);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, "tensor \"w\": is no matrix") != NULL, "%s", status.text);
}

SUITE("safetensors' types")
