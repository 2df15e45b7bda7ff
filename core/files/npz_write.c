#include "core/files/npz.h"

#include "core/base/memory.h"

#include <assert.h>
#include <minizip/zip.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct hl_npz_writer {
    hl_file file;
    zipFile zip; /* NULL if the file could not be created */
};

/* The calls that minizip makes, on the hl_file that is `opaque`. They always report success, because minizip leaks
 * memory when a call fails; hl_file keeps the first failure and does nothing after it. */

static voidpf open_call(voidpf opaque, const void *path, int mode)
{
    (void)path;
    (void)mode;
    return opaque;
}

static uLong write_call(voidpf opaque, voidpf stream, const void *bytes, uLong count)
{
    (void)stream;
    hl_file_write(opaque, bytes, count);
    return count;
}

static ZPOS64_T tell_call(voidpf opaque, voidpf stream)
{
    (void)stream;
    int64_t position = hl_file_seek(opaque, 0, SEEK_CUR);
    return position < 0 ? 0 : (ZPOS64_T)position;
}

static long seek_call(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    (void)stream;
    assert(origin == ZLIB_FILEFUNC_SEEK_SET);
    (void)origin;
    hl_file_seek(opaque, (int64_t)offset, SEEK_SET);
    return 0;
}

static int done_call(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

static hl_status memory_error(const hl_npz_writer *npz)
{
    return hl_error(HL_NO_MEMORY, "out of memory: writing %s", npz->file.path);
}

hl_npz_writer *hl_npz_create(const char *path)
{
    hl_npz_writer *npz = hl_calloc(1, sizeof *npz);
    if (npz == NULL) {
        return NULL;
    }
    if (hl_file_create(&npz->file, path).code == HL_OK) {
        /* A new archive is never read, so zread_file stays NULL. */
        zlib_filefunc64_def calls = {
            .zopen64_file = open_call,
            .zwrite_file = write_call,
            .ztell64_file = tell_call,
            .zseek64_file = seek_call,
            .zclose_file = done_call,
            .zerror_file = done_call,
            .opaque = &npz->file,
        };
        npz->zip = zipOpen2_64(path, APPEND_STATUS_CREATE, NULL, &calls);
        if (npz->zip == NULL) {
            hl_file_fail(&npz->file, memory_error(npz));
        }
    }
    return npz;
}

/* The memory that minizip allocates when a member is opened. It does not check whether that succeeded. */
enum { MEMBER_BYTES = 1 << 16 };

/* Writes into the open member; minizip counts in unsigned int. */
static bool write_member(zipFile zip, const char *bytes, size_t count)
{
    const size_t most = 1u << 30;
    for (size_t done = 0; done < count; done += most) {
        size_t part = count - done < most ? count - done : most;
        if (zipWriteInFileInZip(zip, bytes + done, (unsigned)part) != ZIP_OK) {
            return false;
        }
    }
    return true;
}

static bool add_member(zipFile zip, const char *file_name, const char *header, size_t header_size, const void *data,
                       size_t data_size)
{
    /* 1 January 1980, midnight: zip's earliest date. Stored is method 0. */
    zip_fileinfo info = { .dosDate = 1 << 21 | 1 << 16 };
    int zip64 = data_size >= UINT32_MAX - header_size;
    return zipOpenNewFileInZip64(zip, file_name, &info, NULL, 0, NULL, 0, NULL, 0, 0, zip64) == ZIP_OK &&
           write_member(zip, header, header_size) && write_member(zip, data, data_size) &&
           zipCloseFileInZip(zip) == ZIP_OK;
}

void hl_npz_add(hl_npz_writer *npz, const char *name, hl_npy_type type, hl_shape shape, const void *data)
{
    if (npz == NULL || npz->file.error.code != HL_OK) {
        return;
    }
    int64_t count = hl_shape_count(shape);
    char header[HL_NPY_MAX_WRITTEN];
    size_t header_size = hl_npy_header_write(type, shape, header);
    if (name == NULL || header_size == 0 || (data == NULL && count > 0)) {
        hl_file_fail(&npz->file, hl_error(HL_INVALID, "%s: %s: an array without a name, numbers, a type or a shape",
                                          npz->file.path, name != NULL ? name : "an array"));
        return;
    }
    hl_text file_name = { 0 };
    hl_text_print(&file_name, "%s.npy", name);
    /* The calls never fail, so an error from minizip means that it is out of memory. */
    if (file_name.bytes == NULL || !hl_memory_has(MEMBER_BYTES) ||
        !add_member(npz->zip, file_name.bytes, header, header_size, data, (size_t)count * hl_npy_size(type))) {
        hl_file_fail(&npz->file, memory_error(npz));
    }
    hl_text_free(&file_name);
}

void hl_npz_fail(hl_npz_writer *npz, hl_status error)
{
    if (npz != NULL) {
        hl_file_fail(&npz->file, error);
    }
}

hl_status hl_npz_close(hl_npz_writer *npz, hl_durability durability)
{
    HL_NEED(npz != NULL, "writing an archive");
    if (npz->zip != NULL && zipClose(npz->zip, NULL) != ZIP_OK) {
        hl_file_fail(&npz->file, memory_error(npz));
    }
    hl_status status = hl_file_commit(&npz->file, durability);
    hl_free(npz);
    return status;
}
