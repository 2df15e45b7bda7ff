#include "core/files/npz.h"

#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/scratch.h"

#include <errno.h>
#include <minizip/zip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT = 16 << 20 };

static const float singles[6] = { 1, -2, 0.5f, 4, 5, 6 };
static const double doubles[2] = { 0.1, -1e300 };
static const int32_t ints[3] = { 1, INT32_MIN, INT32_MAX };
static const int64_t longs[1] = { INT64_MIN };

static hl_status write_example(const char *path)
{
    hl_npz_writer *npz = hl_npz_create(path);
    hl_npz_add(npz, "layer_0", HL_NPY_FLOAT32, HL_SHAPE(1, 2, 1, 3), singles);
    hl_npz_add(npz, "wide", HL_NPY_FLOAT64, HL_SHAPE(2, 1), doubles);
    hl_npz_add(npz, "tokens", HL_NPY_INT32, HL_SHAPE(3), ints);
    hl_npz_add(npz, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, longs);
    hl_npz_add(npz, "nothing", HL_NPY_INT32, HL_SHAPE(0, 5, 1), NULL);
    return hl_npz_close(npz, HL_VOLATILE);
}

/* Whether this is array i of the example. */
static void check_example_array(const hl_npz_array *array, int i)
{
    static const struct {
        hl_npy_type type;
        hl_shape shape;
        const void *data;
        size_t size;
    } expected[] = {
        { HL_NPY_FLOAT32, { 4, { 1, 2, 1, 3 } }, singles, sizeof singles },
        { HL_NPY_FLOAT64, { 2, { 2, 1 } }, doubles, sizeof doubles },
        { HL_NPY_INT32, { 1, { 3 } }, ints, sizeof ints },
        { HL_NPY_INT64, { 0, { 0 } }, longs, sizeof longs },
        { HL_NPY_INT32, { 3, { 0, 5, 1 } }, NULL, 0 },
    };
    ck_assert_int_eq(array->type, expected[i].type);
    ck_assert(hl_shape_equal(array->shape, expected[i].shape));
    if (expected[i].size > 0) {
        ck_assert_mem_eq(array->data, expected[i].data, expected[i].size);
    }
}

/* Archives as other programs might write them: through minizip itself, to the file's name. */
typedef struct member {
    const char *name;
    const char *content;
    size_t size;
    int method;
} member;

static void write_zip(const char *path, const member *members, int n)
{
    zipFile zip = zipOpen64(path, APPEND_STATUS_CREATE);
    ck_assert_ptr_nonnull(zip);
    for (int i = 0; i < n; i++) {
        zip_fileinfo info = { .dosDate = 0x210000 };
        ck_assert_int_eq(zipOpenNewFileInZip64(zip, members[i].name, &info, NULL, 0, NULL, 0, NULL, members[i].method,
                                               Z_BEST_COMPRESSION, 0),
                         ZIP_OK);
        ck_assert_int_eq(zipWriteInFileInZip(zip, members[i].content, (unsigned)members[i].size), ZIP_OK);
        ck_assert_int_eq(zipCloseFileInZip(zip), ZIP_OK);
    }
    ck_assert_int_eq(zipClose(zip, NULL), ZIP_OK);
}

/* A .npy file of version 1.0 or 2.0 with this dictionary and `data` zero bytes. Returns its size. */
static size_t make_npy(char *bytes, int version, const char *dictionary, size_t data)
{
    size_t start = version == 1 ? 10 : 12;
    size_t length = strlen(dictionary);
    memset(bytes, 0, start + length + data);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[8] = (char)(length & 0xff);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + start, dictionary, length);
    return start + length + data;
}

static void refused(const char *path, size_t limit, const char *reason)
{
    hl_npz npz;
    hl_status status = hl_npz_read(path, limit, &npz);
    ck_assert_msg(status.code == HL_BAD_FILE, "accepted, where this was expected: %s", reason);
    ck_assert_ptr_null(npz.arrays);
    ck_assert_int_eq(npz.n, 0);
    ck_assert_msg(strstr(status.text, path) == status.text && strstr(status.text, reason) != NULL, "%s", status.text);
}

static hl_npz read_good(const char *path)
{
    hl_npz npz;
    CHECK_OK(hl_npz_read(path, LIMIT, &npz));
    return npz;
}

TEST(what_was_written_is_read_again)
{
    const char *path = scratch_path("a.npz");
    CHECK_OK(write_example(path));
    hl_npz npz = read_good(path);
    static const char *const names[] = { "layer_0", "wide", "tokens", "step", "nothing" };
    ck_assert_int_eq(npz.n, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(npz.arrays[i].name, names[i]);
        ck_assert_ptr_eq(hl_npz_find(&npz, names[i]), &npz.arrays[i]);
        check_example_array(&npz.arrays[i], i);
    }
    ck_assert_ptr_null(hl_npz_find(&npz, "layer_1"));
    hl_npz_free(&npz);
    ck_assert_int_eq(npz.n, 0);
}

/* The arrays "same", "larger" and "other", all counting from `first`. */
static void write_counting(const char *path, int32_t first, int64_t n_larger, const char *other)
{
    static int32_t numbers[60000];
    for (int32_t i = 0; i < 60000; i++) {
        numbers[i] = first + i;
    }
    hl_npz_writer *npz = hl_npz_create(path);
    hl_npz_add(npz, "same", HL_NPY_INT32, HL_SHAPE(300, 100), numbers);
    hl_npz_add(npz, "larger", HL_NPY_INT32, HL_SHAPE(n_larger), numbers);
    hl_npz_add(npz, other, HL_NPY_INT32, HL_SHAPE(3), numbers);
    CHECK_OK(hl_npz_close(npz, HL_VOLATILE));
}

/* Fails in the middle of a large file, where another thread reads than at the beginning. */
static ssize_t fail_in_the_middle(int fd, void *buffer, size_t count, off_t offset)
{
    errno = EIO;
    return offset < 2 << 20 || offset > 6 << 20 ? pread(fd, buffer, count, offset) : -1;
}

/* Large enough for several threads, of which some read less; a byte of each thread's part that is wrong is noticed. */
TEST(threads_read_the_same_together)
{
    enum { LARGE = 1800001, BITS = 1 << 4 };
    const char *path = scratch_path("large.npz");
    const size_t limit = 1 << 24;
    int32_t *numbers = malloc(LARGE * sizeof *numbers);
    for (int32_t i = 0; i < LARGE; i++) {
        numbers[i] = i % 40503 * 31;
    }
    hl_npz_writer *writer = hl_npz_create(path);
    hl_npz_add(writer, "large", HL_NPY_INT32, HL_SHAPE(LARGE), numbers);
    hl_npz_add(writer, "small", HL_NPY_INT32, HL_SHAPE(7), numbers);
    CHECK_OK(hl_npz_close(writer, HL_VOLATILE));
    hl_npz npz = { 0 };
    for (int threads = 1; threads <= 100; threads += threads < 9 ? 1 : 91) {
        CHECK_OK(hl_npz_read_again(path, limit, threads, &npz));
        ck_assert_mem_eq(npz.arrays[0].data, numbers, LARGE * sizeof *numbers);
        ck_assert_mem_eq(npz.arrays[1].data, numbers, 7 * sizeof *numbers);
    }
    for (long at = 1000; at < (long)(LARGE * sizeof *numbers); at += 1 << 20) {
        FILE *file = fopen(path, "r+b");
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        int byte = fgetc(file);
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        fputc(byte ^ BITS, file);
        fclose(file);
        hl_status status = hl_npz_read_again(path, limit, 3, &npz);
        ck_assert_int_eq(status.code, HL_BAD_FILE);
        ck_assert_ptr_nonnull(strstr(status.text, "\"large\": its CRC is wrong"));
        file = fopen(path, "r+b");
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        fputc(byte, file);
        fclose(file);
    }
    hl_file_calls calls = *hl_file_calls_get();
    calls.pread = fail_in_the_middle;
    hl_file_calls_set(&calls);
    hl_status failed = hl_npz_read_again(path, limit, 3, &npz);
    hl_file_calls_set(NULL);
    ck_assert_int_eq(failed.code, HL_BAD_FILE);
    ck_assert_ptr_nonnull(strstr(failed.text, "cannot read: Input/output error"));
    ck_assert_ptr_null(npz.arrays);
    free(numbers);
}

TEST(reading_again_takes_the_memory_of_arrays_that_are_as_large)
{
    const char *path = scratch_path("a.npz");
    hl_npz npz = { 0 };
    const void *same = NULL;
    for (int32_t k = 0; k < 4; k++) {
        write_counting(path, 1000 * k, 3 + 15000 * k, k % 2 == 0 ? "even" : "odd");
        CHECK_OK(hl_npz_read_again(path, LIMIT, 1, &npz));
        ck_assert_int_eq(npz.n, 3);
        same = k == 0 ? npz.arrays[0].data : same;
        ck_assert_ptr_eq(npz.arrays[0].data, same);
        for (int i = 0; i < npz.n; i++) {
            for (int32_t j = 0; j < hl_shape_count(npz.arrays[i].shape); j++) {
                ck_assert_int_eq(((const int32_t *)npz.arrays[i].data)[j], 1000 * k + j);
            }
        }
        ck_assert_ptr_null(hl_npz_find(&npz, k % 2 == 0 ? "odd" : "even"));
    }
    ck_assert_int_eq(hl_npz_read_again(scratch_path("none.npz"), LIMIT, 1, &npz).code, HL_BAD_FILE);
    ck_assert_ptr_null(npz.arrays);
    ck_assert_int_eq(npz.n, 0);
}

TEST(the_same_arrays_make_the_same_bytes_of_a_stored_npy)
{
    const char *path = scratch_path("a.npz");
    CHECK_OK(write_example(path));
    size_t size;
    char *bytes = scratch_read(path, &size);
    CHECK_OK(write_example(scratch_path("b.npz")));
    ck_assert(scratch_holds(scratch_path("b.npz"), bytes, size));
    /* The local header of the first member: stored, 1 January 1980, and the .npy behind the name. */
    static const char start[] = "PK\3\4\24\0\0\0\0\0\0\0\41\0";
    ck_assert_mem_eq(bytes, start, sizeof start - 1);
    const char *npy = bytes + 30 + strlen("layer_0.npy");
    char header[HL_NPY_MAX_WRITTEN];
    static const char dictionary[] = "\x93NUMPY\1\0\166\0{'descr': '<f4', 'fortran_order': False, "
                                     "'shape': (1, 2, 1, 3), }";
    memset(header, ' ', sizeof header);
    memcpy(header, dictionary, sizeof dictionary - 1);
    header[127] = '\n';
    ck_assert_mem_eq(npy, header, 128);
    ck_assert_mem_eq(npy + 128, singles, sizeof singles);
    free(bytes);
}

TEST(headers_read_as_they_were_written_for_the_largest_shape)
{
    hl_shape shape = { 4, { INT64_MAX, 1, 1, 1 } };
    char header[HL_NPY_MAX_WRITTEN];
    for (hl_npy_type type = HL_NPY_FLOAT32; type <= HL_NPY_INT64; type++) {
        size_t size = hl_npy_header_write(type, shape, header);
        ck_assert_uint_eq(size % 64, 0);
        ck_assert_uint_eq(hl_npy_header_size(header), size);
        hl_npy_type read_type = HL_NPY_FLOAT32;
        hl_shape read_shape;
        ck_assert_ptr_null(hl_npy_header_read(header, size, &read_type, &read_shape));
        ck_assert_int_eq(read_type, type);
        ck_assert(hl_shape_equal(read_shape, shape));
    }
}

TEST(archives_of_other_programs_are_read)
{
    static const struct {
        int version, method;
        const char *dictionary;
    } good[] = {
        { 1, Z_DEFLATED, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n" },
        { 1, 0, "{'shape': (2, 3), 'fortran_order': False, 'descr': '<i4'}  \n" },
        { 1, Z_DEFLATED, "{\"fortran_order\":False,\"shape\":(2,3,),\"descr\":\"<i4\"}" },
        { 2, 0, "{ 'descr' : '<i4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , } \n" },
    };
    const char *path = scratch_path("a.npz");
    for (int i = 0; i < 4; i++) {
        char bytes[256];
        size_t size = make_npy(bytes, good[i].version, good[i].dictionary, 24);
        bytes[size - 24] = 7;
        write_zip(path, &(member){ "x.npy", bytes, size, good[i].method }, 1);
        hl_npz npz = read_good(path);
        ck_assert_int_eq(npz.n, 1);
        ck_assert_str_eq(npz.arrays[0].name, "x");
        ck_assert_int_eq(npz.arrays[0].type, HL_NPY_INT32);
        ck_assert(hl_shape_equal(npz.arrays[0].shape, HL_SHAPE(2, 3)));
        static const int32_t numbers[6] = { 7 };
        ck_assert_mem_eq(npz.arrays[0].data, numbers, sizeof numbers);
        hl_npz_free(&npz);
    }
}

#define DICTIONARY(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static const struct {
    const char *dictionary;
    size_t data;
    const char *reason;
} bad[] = {
    { DICTIONARY("'>i4'", "False", "(1,)"), 4, "array \"x\": its type is none of" },
    { DICTIONARY("'|b1'", "False", "(4,)"), 4, "its type is none of" },
    { DICTIONARY("'<f2'", "False", "(2,)"), 4, "its type is none of" },
    { DICTIONARY("[('a', '<i4')]", "False", "(1,)"), 4, "its type is none of" },
    { DICTIONARY("'<f4", "False", "(1,)"), 4, "its type is none of" },
    { DICTIONARY("'<f4'", "True", "(1,)"), 4, "is in Fortran order" },
    { DICTIONARY("'<f4'", "0", "(1,)"), 4, "no dictionary" },
    { DICTIONARY("'<f4'", "False", "(1)"), 4, "no dictionary" },
    { DICTIONARY("'<f4'", "False", "(,)"), 4, "no size" },
    { DICTIONARY("'<f4'", "False", "(1,,1)"), 4, "no size" },
    { DICTIONARY("'<f4'", "False", "(1 1)"), 4, "no dictionary" },
    { DICTIONARY("'<f4'", "False", "(-1,)"), 4, "no size" },
    { DICTIONARY("'<f4'", "False", "(1L,)"), 4, "no dictionary" },
    { DICTIONARY("'<f4'", "False", "[1]"), 4, "no dictionary" },
    { DICTIONARY("'<f4'", "False", "(1, 1, 1, 1, 1)"), 4, "more than 4 dimensions" },
    { DICTIONARY("'<f4'", "False", "(99999999999999999999,)"), 4, "no size" },
    { DICTIONARY("'<f4'", "False", "(4294967296, 4294967296)"), 0, "too large" },
    { DICTIONARY("'<f4'", "False", "(4611686018427387905,)"), 4, "size does not match" },
    { DICTIONARY("'<f4'", "False", "(2,)"), 4, "size does not match" },
    { DICTIONARY("'<f4'", "False", "(1,)"), 5, "size does not match" },
    { DICTIONARY("'<f4'", "False", "()"), 0, "size does not match" },
    { "{'descr': '<f4', 'fortran_order': False, }", 4, "no dictionary" },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "no dictionary" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4, "no dictionary" },
    { "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", 4, "no dictionary" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, "no dictionary" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, "no dictionary" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,", 4, "no size" },
    { "{'descr': '<f4', 'fortran_order", 4, "no dictionary" },
    { "['descr': '<f4', 'fortran_order': False, 'shape': (1,)]", 4, "no dictionary" },
    { "  ", 4, "no dictionary" },
    { "", 0, "ends too early" },
};

LOOP_TEST(a_bad_npy_header_is_refused_with_its_reason, 0, ROWS(bad))
{
    const char *path = scratch_path("a.npz");
    char bytes[256];
    size_t size = make_npy(bytes, 1, bad[_i].dictionary, bad[_i].data);
    write_zip(path, &(member){ "x.npy", bytes, size, Z_DEFLATED }, 1);
    refused(path, LIMIT, bad[_i].reason);
}

TEST(members_that_are_no_arrays_are_refused)
{
    const char *path = scratch_path("a.npz");
    char npy[256];
    size_t size = make_npy(npy, 1, DICTIONARY("'<i4'", "False", "(1,)"), 4);
    write_zip(path, &(member){ "x.txt", npy, size, 0 }, 1);
    refused(path, LIMIT, "holds \"x.txt\", which is no .npy file");
    write_zip(path, &(member){ "npy", npy, size, 0 }, 1);
    refused(path, LIMIT, "holds \"npy\", which is no .npy file");
    const member twice[] = { { "x.npy", npy, size, 0 }, { "x.npy", npy, size, 0 } };
    write_zip(path, twice, 2);
    refused(path, LIMIT, "array \"x\": comes twice");
    npy[6] = 3;
    write_zip(path, twice, 1);
    refused(path, LIMIT, "array \"x\": is no .npy file of version 1.0 or 2.0");
    make_npy(npy, 2, "{", 4);
    npy[10] = 1; /* a header of 64 KiB and one byte, and of 4 GiB */
    write_zip(path, twice, 1);
    refused(path, LIMIT, "is no .npy file");
    memset(npy + 8, 0xff, 4);
    write_zip(path, twice, 1);
    refused(path, LIMIT, "is no .npy file");
    npy[0] = 'X';
    write_zip(path, twice, 1);
    refused(path, LIMIT, "is no .npy file");
    write_zip(path, &(member){ "x.npy", npy, 3, 0 }, 1);
    refused(path, LIMIT, "ends too early");
}

TEST(encrypted_and_otherwise_packed_members_are_refused)
{
    const char *path = scratch_path("a.npz");
    CHECK_OK(write_example(path));
    size_t size;
    char *bytes = scratch_read(path, &size);
    char *central = bytes;
    while (memcmp(central, "PK\1\2", 4) != 0) {
        central++;
    }
    central[8] = 1; /* the flags: encrypted */
    scratch_write(path, bytes, size);
    refused(path, LIMIT, "array \"layer_0\": is encrypted");
    central[8] = 0;
    central[10] = 12; /* the method: bzip2 */
    scratch_write(path, bytes, size);
    refused(path, LIMIT, "array \"layer_0\": is neither stored nor deflated");
    central[10] = 0;
    central[20]++; /* the compressed size */
    scratch_write(path, bytes, size);
    refused(path, LIMIT, "array \"layer_0\": has two sizes");
    free(bytes);
}

TEST(no_archive_takes_more_memory_than_allowed)
{
    const char *path = scratch_path("a.npz");
    static char bytes[1 << 20];
    size_t size = make_npy(bytes, 1, DICTIONARY("'<i4'", "False", "(1000, 250)"), 1000000);
    const member both[] = { { "x.npy", bytes, size, Z_DEFLATED }, { "y.npy", bytes, size, Z_DEFLATED } };
    write_zip(path, both, 2);
    refused(path, 1999999, "its arrays are larger than is allowed");
    refused(path, 100, "more than the 100 that are allowed");
    hl_npz npz;
    CHECK_OK(hl_npz_read(path, 2000000, &npz));
    hl_npz_free(&npz);

    hl_npz_writer *many = hl_npz_create(path);
    for (int i = 0; i <= HL_NPZ_MAX_ARRAYS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        hl_npz_add(many, name, HL_NPY_INT32, HL_SHAPE(0), NULL);
    }
    CHECK_OK(hl_npz_close(many, HL_VOLATILE));
    refused(path, LIMIT, "has more than 4096 arrays");
}

TEST(what_is_no_archive_is_refused)
{
    const char *path = scratch_path("a.npz");
    refused(path, LIMIT, "No such file");
    scratch_write(path, "", 0);
    refused(path, LIMIT, "is not a zip archive");
    CHECK_OK(hl_npz_close(hl_npz_create(path), HL_DURABLE));
    refused(path, LIMIT, "is not a zip archive");
    scratch_write(path, "a text that is no archive, though a rather long one", 51);
    refused(path, LIMIT, "is not a zip archive");
}

TEST(a_damaged_archive_is_refused_or_gives_the_same_arrays)
{
    const char *path = scratch_path("a.npz");
    CHECK_OK(write_example(path));
    size_t size;
    char *bytes = scratch_read(path, &size);
    size_t accepted = 0;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        scratch_write(path, bytes, size);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        hl_npz npz;
        hl_status status = hl_npz_read(path, LIMIT, &npz);
        if (status.code == HL_OK) { /* in a date, a name, a comment's length, which no CRC covers */
            accepted++;
            for (int i = 0; i < npz.n; i++) {
                check_example_array(&npz.arrays[i], i);
            }
            hl_npz_free(&npz);
        } else {
            ck_assert_int_eq(status.code, HL_BAD_FILE);
        }
    }
    ck_assert_uint_lt(accepted, 4 * size);
    for (size_t shorter = 0; shorter < size; shorter++) {
        scratch_write(path, bytes, shorter);
        refused(path, LIMIT, "");
    }
    char *number = bytes + 30 + strlen("layer_0.npy") + 128;
    *number ^= 1;
    scratch_write(path, bytes, size);
    refused(path, LIMIT, "array \"layer_0\": its CRC is wrong");
    free(bytes);
}

static hl_status save(const char *path, int version)
{
    hl_npz_writer *npz = hl_npz_create(path);
    int32_t numbers[3] = { 1, 2, version };
    hl_npz_add(npz, "first", HL_NPY_INT32, HL_SHAPE(3), numbers);
    hl_npz_add(npz, "second", HL_NPY_INT32, HL_SHAPE(1, 2), numbers);
    return hl_npz_close(npz, HL_DURABLE);
}

static hl_status load(const char *path)
{
    hl_npz npz;
    HL_TRY(hl_npz_read(path, LIMIT, &npz));
    ck_assert_int_eq(npz.n, 2);
    ck_assert_int_eq(((int32_t *)hl_npz_find(&npz, "second")->data)[1], 2);
    hl_npz_free(&npz);
    return hl_ok();
}

TEST(no_failing_call_harms_the_old_file)
{
    fault_checks_saving(save, 2);
}

TEST(no_failing_call_is_missed_in_reading)
{
    fault_checks_loading(save, load, 1);
}

SUITE("npz")
