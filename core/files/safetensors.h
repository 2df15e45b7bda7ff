/* Reading and writing safetensors files: a little-endian uint64 header length, a JSON header, the numbers.
 * Format: the safetensors README (Hugging Face). Tensors are written as F32 (F64 by the double library) and read from
 * F32, F64, F16 or BF16; those of other types, as whole numbers, may be in a file, and are passed over.
 *
 * __metadata__ holds strings only. Every file written here carries, as the first two of them, "checksum": the CRC-32
 * (zlib's) of the whole file with the checksum's own eight lower-case hex digits read as zeros, and "writer":
 * "headlight". So a file written here in which a bit is wrong is never mistaken for one of another program. */
#ifndef HL_CORE_FILES_SAFETENSORS_H
#define HL_CORE_FILES_SAFETENSORS_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/files/files.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

enum { HL_SAFETENSORS_MAX_HEADER = 4 << 20 /* bytes */ };

typedef struct hl_named_tensor {
    const char *name;
    hl_shape shape;
    const hl_real *data;
} hl_named_tensor;

typedef struct hl_metadata_item {
    const char *key;
    const char *value; /* UTF-8 */
} hl_metadata_item;

/* Writes a whole file through `file` (files.h), tensors in the given order, their data end to end, metadata first.
 * Names and keys are UTF-8, each given once; "checksum" and "writer" are not given. Errors stay on `file`: HL_BAD_FILE,
 * HL_NO_MEMORY, HL_INVALID for a value that is not UTF-8, a header above HL_SAFETENSORS_MAX_HEADER, a tensor without a
 * name, numbers or a shape that has a count, and a negative number of them. */
void hl_safetensors_write(hl_file *file, const hl_named_tensor *tensors, int n_tensors,
                          const hl_metadata_item *metadata, int n_metadata);

/* A file whose header was read, and whose data is still on the disk. */
typedef struct hl_safetensors hl_safetensors;

/* Opens a file and checks its header: length, JSON (no duplicate keys), every tensor's dtype, shape (at most
 * HL_MAX_DIMS dimensions) and byte range (without gap or overlap, product of the shape in bytes exactly the range, the
 * whole payload covered), metadata strings only. A file whose writer is headlight but whose checksum is not in its
 * place is refused. Takes a few times the header's bytes. What the header says is not verified before
 * hl_safetensors_read has been to the end. HL_BAD_FILE with path and reason; HL_NO_MEMORY. On success *file is owned by
 * the caller: hl_safetensors_free; on failure it is NULL. */
hl_status hl_safetensors_open(const char *path, hl_safetensors **file);

void hl_safetensors_free(hl_safetensors *file); /* NULL is allowed */

/* False for a file without a checksum (written by another program). */
bool hl_safetensors_has_checksum(const hl_safetensors *file);

/* The number of tensors. They are numbered in the order of their data in the file. */
int hl_safetensors_count(const hl_safetensors *file);

/* The name and shape of tensor i, 0 <= i < count; both owned by the file. */
const char *hl_safetensors_name(const hl_safetensors *file, int i);
hl_shape hl_safetensors_shape(const hl_safetensors *file, int i);

/* Whether tensor i is of a type that can be read. */
bool hl_safetensors_can_read(const hl_safetensors *file, int i);

/* The index of the tensor of that name, or -1. */
int hl_safetensors_find(const hl_safetensors *file, const char *name);

/* The metadata string of that key, owned by the file, or NULL. */
const char *hl_safetensors_metadata(const hl_safetensors *file, const char *key);

/* Where a tensor's numbers go, converted to hl_real: F16 and BF16 exactly. */
typedef struct hl_safetensors_place {
    hl_real *data;   /* count(shape) numbers; NULL: they are skipped */
    size_t first;    /* only so many of the first numbers; 0: all; not of a tensor that is transposed */
    bool transposed; /* of a tensor (n, m): `data` is (m, n) */
    bool compares;   /* compare with the numbers in `data` instead of writing them */
    bool differs;    /* the result of that: whether any bit differs */
} hl_safetensors_place;

/* Reads the data from its beginning to its end, the numbers of tensor i into places[i], and verifies the checksum where
 * there is one; with places NULL only that. Allocates nothing. May be called again. HL_BAD_FILE: the file is damaged, a
 * call failed, or a tensor that has a place is of a type that cannot be read, or is to be transposed and no matrix; the
 * places then hold wrong numbers. */
hl_status hl_safetensors_read(hl_safetensors *file, hl_safetensors_place *places);

HL_END_DECLS

#endif
