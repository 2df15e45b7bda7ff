/* The header of NumPy's .npy format: a magic string, a version, a length, and a Python dictionary with the keys descr,
 * fortran_order and shape. Format: numpy.lib.format in NumPy's reference. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/tensor.h"

#include <stddef.h>

HL_BEGIN_DECLS

typedef enum hl_npy_type { HL_NPY_FLOAT32, HL_NPY_FLOAT64, HL_NPY_INT32, HL_NPY_INT64 } hl_npy_type;

/* The bytes of one element; 0 for an unknown type. */
size_t hl_npy_size(hl_npy_type type);

enum {
    HL_NPY_START = 12,            /* the first bytes, which contain the length of the header */
    HL_NPY_MAX_WRITTEN = 256,     /* the largest header written here, bytes */
    HL_NPY_MAX_HEADER = 64 << 10, /* the longest header accepted, bytes */
};

/* Writes the whole header (version 1.0, C order) into `header` and returns its size, a multiple of 64. Returns 0 for an
 * unknown type or a shape without a count. */
size_t hl_npy_header_write(hl_npy_type type, hl_shape shape, char header[HL_NPY_MAX_WRITTEN]);

/* The size of the whole header that begins with these bytes. Returns 0 if they do not begin a .npy file of version 1.0
 * or 2.0, or if its header is above HL_NPY_MAX_HEADER. */
size_t hl_npy_header_size(const char start[HL_NPY_START]);

/* Reads a whole header. Returns NULL, or what is wrong with it: not a dictionary of exactly the three keys, another
 * type, Fortran order, more than HL_MAX_DIMS dimensions, a shape whose count does not fit into int64_t. */
const char *hl_npy_header_read(const char *header, size_t size, hl_npy_type *type, hl_shape *shape);

HL_END_DECLS
