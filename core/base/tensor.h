/* Dense tensors, row-major, with the last dimension varying fastest.
 *
 * Shape letters in every contract of the tree:
 *   B batch (examples)      T tokens (Tq queries, Tk keys)    D d_model        L layers
 *   H heads (Hkv key/value heads)   Dk width of one head's queries and keys, Dv width of its values
 *   F d_ff                  V vocabulary                      N rows (all leading dimensions together)
 * A shape is written (B, T, D). The gradient of x is dx. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_MAX_DIMS = 4 };

typedef struct hl_shape {
    int n_dims; /* 0 .. HL_MAX_DIMS; 0: a scalar */
    int64_t size[HL_MAX_DIMS];
} hl_shape;

typedef struct hl_tensor {
    hl_shape shape;
    hl_real *data;           /* count(shape) numbers; not owned. Not to be read on a dry tape (tape_memory.h) */
    hl_real *grad;           /* same shape as data; NULL if there is none (yet); not owned */
    bool requires_grad;      /* whether backward computes grad */
    bool grad_written;       /* true: backward adds to grad; false: it overwrites grad. True for parameters, except
                                after hl_forgotten_grads_begin (core/private/forgotten_grads.h) */
    bool is_parameter;       /* whether a registry (parameters.h) owns data and grad */
    struct hl_tensor *whole; /* NULL, or the parameter whose rows this tensor is a part of (hl_tape_parameter_rows) */
    bool bf16;               /* whether linear maps with this matrix multiply in bf16 (bf16.h) */
    struct hl_tape_piece *piece, *grad_piece; /* set on a dry tape only: the planned memory of data and grad */
} hl_tensor;

/* A shape from its sizes: HL_SHAPE(B, T, D). */
#define HL_SHAPE(...) \
    ((hl_shape){ .n_dims = (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), .size = { __VA_ARGS__ } })

/* The number of elements: the product of the sizes. Returns -1 if it does not fit into int64_t, a size is negative, or
 * n_dims is outside 0 .. HL_MAX_DIMS. */
int64_t hl_shape_count(hl_shape shape);

/* The size of the last dimension (1 for a scalar), and the number of rows N = count / last. The shape must have a
 * count. */
int64_t hl_shape_last(hl_shape shape);
int64_t hl_shape_rows(hl_shape shape);

/* Whether two shapes are equal. A shape without a count equals no shape. */
bool hl_shape_equal(hl_shape a, hl_shape b);

enum { HL_SHAPE_TEXT = 96 };

/* Writes a text such as "(64, 21, 32)" into `text` and returns it. Cannot fail. */
const char *hl_shape_text(hl_shape shape, char text[HL_SHAPE_TEXT]);

/* The same, in a text that lives until the end of the enclosing block. */
#define HL_SHAPE_SHOWN(shape) hl_shape_text(shape, (char[HL_SHAPE_TEXT]){ "" })

HL_END_DECLS
