/* Reads and writes safetensors files: a little-endian uint64 header length, a JSON header, the numbers. Format: the
 * safetensors README (Hugging Face). Tensors are written as F32 (F64 by the double library) and read from F32, F64, F16
 * or BF16. A file may also hold tensors of other types, such as whole numbers; they are skipped.
 *
 * __metadata__ holds strings only. Every file written here begins it with two strings. "checksum" is the CRC-32
 * (zlib's) of the whole file, where the checksum's own eight lower-case hex digits count as zeros. "writer" is
 * "headlight". So a file written here with a wrong bit is never mistaken for a file of another program. */
#pragma once

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

/* Writes a whole file through `file` (files.h): metadata first, then the tensors in the given order, their data end to
 * end. Names and keys are UTF-8, each given once; do not pass "checksum" and "writer". Errors stay on `file`:
 * HL_BAD_FILE, HL_NO_MEMORY, HL_INVALID for a value that is not UTF-8, a header above HL_SAFETENSORS_MAX_HEADER, a
 * tensor without a name, numbers or a shape that has a count, or a negative number of tensors. */
void hl_safetensors_write(hl_file *file, const hl_named_tensor *tensors, int n_tensors,
                          const hl_metadata_item *metadata, int n_metadata);

/* A file whose header was read, and whose data is still on disk. */
typedef struct hl_safetensors hl_safetensors;

/* Opens a file and checks its header: its length, JSON without duplicate keys, metadata of strings only. Each tensor
 * needs a dtype, a shape of at most HL_MAX_DIMS dimensions, and a byte range that fits the shape exactly. The ranges
 * must cover the whole payload without gap or overlap. A file whose writer is headlight is refused if its checksum is
 * not at its fixed position. Memory: a few times the header's bytes. The header's content is not verified until
 * hl_safetensors_read has read to the end. HL_BAD_FILE with path and reason; HL_NO_MEMORY. After success the caller
 * owns *file: hl_safetensors_free; on failure it is NULL. */
hl_status hl_safetensors_open(const char *path, hl_safetensors **file);

void hl_safetensors_free(hl_safetensors *file); /* NULL is allowed */

/* False for a file without a checksum, which another program wrote. */
bool hl_safetensors_has_checksum(const hl_safetensors *file);

/* The number of tensors. They are numbered in the order of their data in the file. */
int hl_safetensors_count(const hl_safetensors *file);

/* The name and shape of tensor i, 0 <= i < count; both owned by the file. */
const char *hl_safetensors_name(const hl_safetensors *file, int i);
hl_shape hl_safetensors_shape(const hl_safetensors *file, int i);

/* Whether tensor i has a type that can be read. */
bool hl_safetensors_can_read(const hl_safetensors *file, int i);

/* The index of the tensor with that name, or -1. */
int hl_safetensors_find(const hl_safetensors *file, const char *name);

/* The metadata string of that key, owned by the file, or NULL. */
const char *hl_safetensors_metadata(const hl_safetensors *file, const char *key);

/* Where the numbers of a tensor go. They are converted to hl_real: F16 and BF16 exactly. */
typedef struct hl_safetensors_place {
    hl_real *data;   /* count(shape) numbers; NULL: the tensor is skipped */
    size_t first;    /* read only this many numbers, from the first one on; 0: all; not with `transposed` */
    hl_real *rest;   /* where the numbers after `first` go instead of being left out; NULL: nowhere */
    bool transposed; /* the file's tensor is (n, m), and `data` is (m, n) */
    bool compares;   /* compare with the numbers in `data` instead of writing them */
    bool differs;    /* the result of the comparison: whether any bit differs */
} hl_safetensors_place;

/* Reads the data from beginning to end, the numbers of tensor i into places[i], and verifies the checksum if there is
 * one; with `places` NULL it only verifies. Allocates nothing. May be called again. HL_BAD_FILE: the file is damaged, a
 * call failed, a requested tensor has a type that cannot be read, or a tensor to transpose is not a matrix. The
 * destinations then hold wrong numbers. */
hl_status hl_safetensors_read(hl_safetensors *file, hl_safetensors_place *places);

HL_END_DECLS
