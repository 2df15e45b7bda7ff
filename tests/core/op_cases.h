/* The table of op cases: for every op of core/ops/ops.h, calls over many shapes and attributes, with fixed
 * numbers.
 *
 * It compiles in both precisions. In double every case that is not large has its gradients checked; in float every case
 * is compared with the double library, at several thread counts, and for its use of the arena. */
#pragma once

#include "core/op.h"

enum { OP_CASE_MAX_INPUTS = 4, OP_CASE_NAME = 96 };

typedef struct op_case_input {
    const char *name; /* NULL after the last one */
    hl_shape shape;
} op_case_input;

typedef struct op_case {
    const char *op;      /* its name */
    const char *variant; /* what is special about this case */
    /* Calls the op. `attributes` are those below. */
    hl_tensor *(*build)(hl_tape *tape, hl_tensor *const *inputs, const void *attributes);
    const void *attributes;
    op_case_input inputs[OP_CASE_MAX_INPUTS];
    bool large; /* big enough for threads to be used, too big for a gradient check */
    bool kink;  /* the op has a kink at 0 */
} op_case;

/* Every op of the library. */
extern const hl_op *const op_list[];
extern const int op_count;

extern const op_case op_cases[];
extern const int op_case_count;

int op_case_inputs(const op_case *c);

/* The numbers of input i: in [-1, 1), exactly representable in float, the same in both precisions; 5 steps of the
 * gradient check away from a kink. `values` holds count(shape) numbers. */
void op_case_fill(const op_case *c, int i, hl_real *values);

/* The gradient that output number i is given where backward starts: in [-1, 1), exactly representable in float. */
hl_real op_case_dy(int64_t i);

/* The options every case is run with: training, with a fixed seed and step. */
hl_tape_options op_case_options(int threads, bool gradients, bool dry);

/* "linear, no bias" into `text`, which is returned. */
const char *op_case_name(const op_case *c, char text[OP_CASE_NAME]);

/* The case of that op and variant; NULL where there is none. */
const op_case *op_case_find(const char *op, const char *variant);
