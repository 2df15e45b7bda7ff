#include "core/files/npz.h"

#include "core/base/memory.h"
#include "core/files/private/read_checked.h"

#include <fcntl.h>
#include <minizip/unzip.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WINDOW = 1 << 16 };

typedef struct reader {
    const char *path;
    int fd;
    size_t size;
    hl_status error; /* an error of the system, which says more than minizip does */

    /* The archive as minizip reads it. It reads byte by byte, so a window of the file is held in memory. */
    size_t at;
    size_t begin, filled; /* the window: its position in the file, and its bytes */
    char *window;         /* (WINDOW) */
    bool past_end;        /* whether minizip has asked for bytes past the end */

    unzFile zip;
    size_t left;    /* the bytes that further arrays may use */
    hl_npz *before; /* the archive read before, whose memory is reused */
    int threads;

    /* For the open member. minizip would copy each byte of a stored member twice more, so its bytes come from the
     * file. */
    bool stored;
    size_t position,
        rest;  /* for a stored member: where the bytes begin that have not been read yet, and how many there are */
    uLong crc; /* for a stored member: the CRC of the bytes read so far */
} reader;

/* Fills the window from `at` on, which is below the size. */
static void fill_window(reader *r)
{
    size_t rest = r->size - r->at, n = rest < WINDOW ? rest : WINDOW;
    r->error = hl_file_read_at(r->fd, r->path, r->window, n, (int64_t)r->at);
    r->begin = r->at;
    r->filled = r->error.code == HL_OK ? n : 0;
}

static voidpf open_call(voidpf opaque, const void *path, int mode)
{
    (void)path;
    (void)mode;
    return opaque;
}

static uLong read_call(voidpf opaque, voidpf stream, void *buffer, uLong count)
{
    (void)stream;
    reader *r = opaque;
    char *to = buffer;
    uLong done = 0;
    while (done < count && r->at < r->size && r->error.code == HL_OK) {
        if (r->at - r->begin >= r->filled) { /* behind the window or, as the difference is unsigned, before it */
            fill_window(r);
        }
        size_t from = r->at - r->begin, there = r->filled - from, part = count - done < there ? count - done : there;
        memcpy(to + done, r->window + from, part);
        r->at += part;
        done += part;
    }
    r->past_end = r->past_end || done < count;
    return done;
}

static ZPOS64_T tell_call(voidpf opaque, voidpf stream)
{
    (void)stream;
    return ((const reader *)opaque)->at;
}

static long seek_call(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    (void)stream;
    reader *r = opaque;
    size_t base = origin == ZLIB_FILEFUNC_SEEK_SET ? 0 : origin == ZLIB_FILEFUNC_SEEK_CUR ? r->at : r->size;
    if (offset > r->size - base) {
        return -1;
    }
    r->at = base + offset;
    return 0;
}

static int close_call(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

/* minizip treats the end of the file as an error only if this function says so. */
static int error_call(voidpf opaque, voidpf stream)
{
    (void)stream;
    return ((const reader *)opaque)->past_end;
}

static hl_status member_error(const reader *r, const hl_npz_array *array, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s: array \"%s\": %s", r->path, array->name, what);
}

static hl_status memory_error(const reader *r)
{
    return hl_error(HL_NO_MEMORY, "out of memory: reading %s", r->path);
}

static hl_status zip_error(const reader *r, const hl_npz_array *array, int error)
{
    if (error == UNZ_INTERNALERROR || error == Z_MEM_ERROR) {
        return memory_error(r);
    }
    return member_error(r, array, error == UNZ_CRCERROR ? "its CRC is wrong" : "is damaged");
}

static hl_status read_stored(reader *r, const hl_npz_array *array, void *bytes, size_t count)
{
    if (count > r->rest || r->position > r->size || count > r->size - r->position) {
        return member_error(r, array, "ends too early");
    }
    HL_TRY(r->error = hl_file_read_checked(r->fd, r->path, bytes, count, (int64_t)r->position, r->threads, &r->crc));
    r->position += count;
    r->rest -= count;
    return hl_ok();
}

/* Reads exactly `count` bytes of the open member; minizip counts in unsigned int. */
static hl_status read_bytes(reader *r, const hl_npz_array *array, void *bytes, size_t count)
{
    if (r->stored) {
        return read_stored(r, array, bytes, count);
    }
    const size_t most = 1u << 30;
    char *to = bytes;
    while (count > 0) {
        int n = unzReadCurrentFile(r->zip, to, (unsigned)(count < most ? count : most));
        if (n < 0) {
            return zip_error(r, array, n);
        }
        if (n == 0) {
            return member_error(r, array, "ends too early");
        }
        to += n;
        count -= (size_t)n;
    }
    return hl_ok();
}

/* The member's name without ".npy". */
static hl_status read_name(const reader *r, const unz_file_info64 *info, hl_npz_array *array)
{
    static const char suffix[] = ".npy";
    size_t length = info->size_filename;
    array->name = hl_malloc(length + 1);
    if (array->name == NULL) {
        return memory_error(r);
    }
    array->name[length] = '\0';
    if (unzGetCurrentFileInfo64(r->zip, NULL, array->name, length + 1, NULL, 0, NULL, 0) != UNZ_OK ||
        strlen(array->name) != length) {
        return hl_error(HL_BAD_FILE, "%s: the name of one of its arrays is damaged", r->path);
    }
    size_t stem = length + 1 < sizeof suffix ? 0 : length + 1 - sizeof suffix;
    if (strcmp(array->name + stem, suffix) != 0) {
        return hl_error(HL_BAD_FILE, "%s: holds \"%s\", which is no .npy file", r->path, array->name);
    }
    array->name[stem] = '\0';
    return hl_ok();
}

static hl_status read_header(reader *r, hl_npz_array *array, size_t *size)
{
    char start[HL_NPY_START];
    HL_TRY(read_bytes(r, array, start, sizeof start));
    *size = hl_npy_header_size(start);
    if (*size == 0) {
        return member_error(r, array, "is no .npy file of version 1.0 or 2.0");
    }
    char *header = hl_malloc(*size);
    if (header == NULL) {
        return memory_error(r);
    }
    memcpy(header, start, sizeof start);
    hl_status status = read_bytes(r, array, header + sizeof start, *size - sizeof start);
    if (status.code == HL_OK) {
        const char *wrong = hl_npy_header_read(header, *size, &array->type, &array->shape);
        status = wrong == NULL ? hl_ok() : member_error(r, array, wrong);
    }
    hl_free(header);
    return status;
}

/* If the old array has another size, it is freed first, so that both never use memory at once. */
static void *memory_for(const reader *r, const hl_npz_array *array, size_t bytes)
{
    for (int i = 0; i < r->before->n; i++) {
        hl_npz_array *old = &r->before->arrays[i];
        if (strcmp(old->name, array->name) == 0 && old->data != NULL) {
            void *data = old->data;
            old->data = NULL;
            if ((size_t)hl_shape_count(old->shape) * hl_npy_size(old->type) == bytes) {
                return data;
            }
            hl_free(data);
        }
    }
    return hl_malloc(bytes);
}

/* Reads the open member, which `info` describes. */
static hl_status read_array(reader *r, const unz_file_info64 *info, hl_npz_array *array)
{
    uint64_t size = info->uncompressed_size;
    size_t header_size;
    HL_TRY(read_header(r, array, &header_size));
    size_t bytes;
    if (!hl_multiply_sizes((size_t)hl_shape_count(array->shape), hl_npy_size(array->type), &bytes) ||
        size < header_size || bytes != size - header_size) {
        return member_error(r, array, "its size does not match its shape");
    }
    if (bytes > r->left) {
        return hl_error(HL_BAD_FILE, "%s: its arrays are larger than is allowed here", r->path);
    }
    r->left -= bytes;
    array->data = memory_for(r, array, bytes);
    if (array->data == NULL) {
        return memory_error(r);
    }
    HL_TRY(read_bytes(r, array, array->data, bytes));
    int error = unzCloseCurrentFile(r->zip); /* checks the CRC of the bytes that it has read itself */
    if (r->stored && r->crc != info->crc) {
        error = UNZ_CRCERROR;
    }
    return error == UNZ_OK ? hl_ok() : zip_error(r, array, error);
}

static hl_status read_member(reader *r, hl_npz_array *array)
{
    enum { STORED = 0, ENCRYPTED = 1 };
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(r->zip, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK) {
        return hl_error(HL_BAD_FILE, "%s: its directory is damaged", r->path);
    }
    HL_TRY(read_name(r, &info, array));
    if ((info.flag & ENCRYPTED) != 0) {
        return member_error(r, array, "is encrypted");
    }
    if (info.compression_method != STORED && info.compression_method != Z_DEFLATED) {
        return member_error(r, array, "is neither stored nor deflated");
    }
    if (info.compression_method == STORED && info.compressed_size != info.uncompressed_size) {
        return member_error(r, array, "has two sizes");
    }
    int error = unzOpenCurrentFile(r->zip);
    if (error != UNZ_OK) {
        return zip_error(r, array, error);
    }
    r->stored = info.compression_method == STORED;
    r->position = (size_t)unzGetCurrentFileZStreamPos64(r->zip);
    r->rest = (size_t)info.uncompressed_size;
    r->crc = 0;
    return read_array(r, &info, array);
}

static hl_status no_archive(const reader *r)
{
    return hl_error(HL_BAD_FILE, "%s: is not a zip archive, or is cut off", r->path);
}

static hl_status read_members(reader *r, hl_npz *npz)
{
    unz_global_info64 info;
    if (unzGetGlobalInfo64(r->zip, &info) != UNZ_OK || info.number_entry > HL_NPZ_MAX_ARRAYS) {
        return hl_error(HL_BAD_FILE, "%s: has more than %d arrays", r->path, (int)HL_NPZ_MAX_ARRAYS);
    }
    if (info.number_entry == 0) { /* some versions of minizip can open such a file, others cannot */
        return no_archive(r);
    }
    npz->arrays = hl_calloc((size_t)info.number_entry, sizeof *npz->arrays);
    if (npz->arrays == NULL) {
        return memory_error(r);
    }
    for (int i = 0; i < (int)info.number_entry; i++) {
        if ((i == 0 ? unzGoToFirstFile(r->zip) : unzGoToNextFile(r->zip)) != UNZ_OK) {
            return hl_error(HL_BAD_FILE, "%s: its directory is damaged", r->path);
        }
        npz->n = i + 1;
        HL_TRY(read_member(r, &npz->arrays[i]));
        if (hl_npz_find(npz, npz->arrays[i].name) != &npz->arrays[i]) {
            return member_error(r, &npz->arrays[i], "comes twice");
        }
    }
    return hl_ok();
}

static hl_status read_archive(reader *r, hl_npz *npz)
{
    zlib_filefunc64_def calls = {
        .zopen64_file = open_call,
        .zread_file = read_call,
        .ztell64_file = tell_call,
        .zseek64_file = seek_call,
        .zclose_file = close_call,
        .zerror_file = error_call,
        .opaque = r,
    };
    r->zip = unzOpen2_64(r->path, &calls);
    if (r->zip == NULL) {
        return no_archive(r);
    }
    hl_status status = read_members(r, npz);
    unzClose(r->zip);
    return status;
}

static hl_status read_open(reader *r, hl_npz *npz)
{
    struct stat info;
    if (hl_file_calls_get()->fstat(r->fd, &info) != 0) {
        return hl_file_system_error(r->path, "cannot read");
    }
    r->size = (size_t)info.st_size;
    if (r->size > r->left) {
        return hl_error(HL_BAD_FILE, "%s: has %zu bytes, more than the %zu that are allowed here", r->path, r->size,
                        r->left);
    }
    r->window = hl_malloc(WINDOW);
    hl_status status = r->window != NULL ? read_archive(r, npz) : memory_error(r);
    hl_free(r->window);
    return r->error.code != HL_OK ? r->error : status;
}

hl_status hl_npz_read_again(const char *path, size_t limit, int threads, hl_npz *npz)
{
    hl_npz before = *npz;
    *npz = (hl_npz){ 0 };
    reader r = { .path = path, .left = limit, .before = &before, .threads = threads };
    hl_status status = hl_file_open(path, O_RDONLY, &r.fd);
    if (status.code == HL_OK) {
        status = read_open(&r, npz);
        hl_file_calls_get()->close(r.fd);
    }
    hl_npz_free(&before);
    if (status.code != HL_OK) {
        hl_npz_free(npz);
    }
    return status;
}

hl_status hl_npz_read(const char *path, size_t limit, hl_npz *npz)
{
    *npz = (hl_npz){ 0 };
    return hl_npz_read_again(path, limit, 1, npz);
}

void hl_npz_free(hl_npz *npz)
{
    for (int i = 0; i < npz->n; i++) {
        hl_free(npz->arrays[i].name);
        hl_free(npz->arrays[i].data);
    }
    hl_free(npz->arrays);
    *npz = (hl_npz){ 0 };
}

const hl_npz_array *hl_npz_find(const hl_npz *npz, const char *name)
{
    for (int i = 0; i < npz->n; i++) {
        if (strcmp(npz->arrays[i].name, name) == 0) {
            return &npz->arrays[i];
        }
    }
    return NULL;
}
