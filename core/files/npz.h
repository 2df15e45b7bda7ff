/* Reads and writes .npz archives of NumPy arrays: a zip of .npy files (NumPy's format 1.0). They are stored
 * uncompressed with constant dates, so that equal arrays make equal files. zlib's minizip does the zip part. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/files/files.h"
#include "core/files/npy.h"

#include <stddef.h>

HL_BEGIN_DECLS

enum { HL_NPZ_MAX_ARRAYS = 4096 };

typedef struct hl_npz_writer hl_npz_writer;

/* Begins an archive at `path`, which is written to a temporary file until hl_npz_close. NULL when out of memory. After
 * a failure every call does nothing, and hl_npz_close reports the first failure. */
hl_npz_writer *hl_npz_create(const char *path);

/* Adds the array `name` (without ".npy"; each name once), in C order, little-endian. data holds count(shape) elements.
 * A shape with n_dims 0 is a scalar. HL_INVALID is left on the writer if name or data is NULL, the type is unknown, or
 * the shape has no count. */
void hl_npz_add(hl_npz_writer *npz, const char *name, hl_npy_type type, hl_shape shape, const void *data);

/* Makes `error` the archive's failure, unless it has already failed. For failures while its arrays are made. NULL is
 * allowed. */
void hl_npz_fail(hl_npz_writer *npz, hl_status error);

/* Ends the archive, renames it to `path` and frees the writer. On failure `path` stays as it was: HL_BAD_FILE,
 * HL_INVALID, HL_NO_MEMORY (also if npz is NULL). */
hl_status hl_npz_close(hl_npz_writer *npz, hl_durability durability);

typedef struct hl_npz_array {
    char *name;
    hl_npy_type type;
    hl_shape shape;
    void *data; /* count(shape) elements */
} hl_npz_array;

typedef struct hl_npz {
    hl_npz_array *arrays;
    int n;
} hl_npz;

/* Reads a whole archive, stored or deflated, piece by piece, into the memory of its arrays. Neither the file nor all
 * arrays together may have more than `limit` bytes. HL_BAD_FILE names path, array and reason. It refuses: a file that
 * is not a zip or has no members (minizip does not distinguish these), more than HL_NPZ_MAX_ARRAYS members, a member
 * that is not a .npy of the four types in C order with at most HL_MAX_DIMS dimensions, a size that does not match the
 * header, a wrong CRC, an encrypted member, a repeated name. HL_NO_MEMORY. On failure *npz is empty. After success, the
 * caller owns it: hl_npz_free. */
hl_status hl_npz_read(const char *path, size_t limit, hl_npz *npz);

/* The same, into an archive that was read before; its old content is lost. An array reuses the memory of the old array
 * with the same name, if the sizes are equal. The system then need not find new memory, which takes longer than
 * reading. `threads` threads read a large stored array together. */
hl_status hl_npz_read_again(const char *path, size_t limit, int threads, hl_npz *npz);

void hl_npz_free(hl_npz *npz);

/* The array with that name, owned by npz, or NULL. */
const hl_npz_array *hl_npz_find(const hl_npz *npz, const char *name);

HL_END_DECLS
