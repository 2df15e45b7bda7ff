/* The parameters of a model: one registry, one contiguous block of values and one of gradients.
 *
 * Modules register parameters under PyTorch's names (encoder.layers.0.linear1.weight). Files, error texts and optimizer
 * groups use these names. Because the blocks are contiguous, clip, step, save and zero are single loops.
 *
 *     hl_parameters parameters = { 0 };
 *     hl_tensor *W = hl_parameters_add(&parameters, (hl_parameter_spec){ .name = ..., .shape = HL_SHAPE(D, F), ... });
 *     ...                                                    // register everything
 *     HL_TRY(hl_parameters_allocate(&parameters));           // W->data exists from here on
 *     hl_parameters_initialise(&parameters, seed); */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_PARAMETER_MAX_NAME = 120 /* bytes */ };

typedef enum hl_init {
    HL_INIT_ZERO,
    HL_INIT_ONE,
    HL_INIT_XAVIER_UNIFORM, /* U(-a, a), a = sqrt(6 / (fan_in + fan_out)); Glorot and Bengio 2010 */
    HL_INIT_NORMAL,         /* N(0, scale^2) */
    HL_INIT_UNIFORM,        /* U(-scale, scale) */
} hl_init;

typedef struct hl_parameter_spec {
    const char *name; /* copied; unique within the registry */
    hl_shape shape;
    hl_init init;
    hl_real scale;      /* see hl_init; for HL_INIT_XAVIER_UNIFORM: a factor of the bound a, where 0 counts as 1 */
    int64_t n_matrices; /* for HL_INIT_XAVIER_UNIFORM: how many matrices of equal height are stacked in the rows, each
                           with its own bound (q, k and v in in_proj_weight); 0 counts as 1 */
    bool decay;         /* whether AdamW decays it: true for matrices, false for biases and norms */
} hl_parameter_spec;

typedef struct hl_parameter {
    char *name;
    hl_tensor *tensor;
    hl_init init;
    hl_real scale;
    int64_t n_matrices;
    bool decay;
    int64_t offset; /* index of its first number in the blocks */
    int64_t count;
} hl_parameter;

/* A second name for a parameter: files hold tied weights under both names. */
typedef struct hl_parameter_alias {
    char *name;
    int parameter; /* index into `list` */
} hl_parameter_alias;

typedef struct hl_parameters {
    hl_parameter *list; /* in order of registration */
    int n, capacity;
    hl_parameter_alias *aliases;
    int n_aliases;
    int64_t count;   /* numbers in each block; every parameter starts at a multiple of 16 numbers, and gaps hold zero */
    hl_real *values; /* the two blocks, owned; NULL before hl_parameters_allocate */
    hl_real *grads;  /* also NULL after hl_parameters_allocate_frozen */
    hl_status error; /* sticky, as on a tape */
} hl_parameters;

/* Registers a parameter and returns its tensor, which the registry owns; data is NULL until hl_parameters_allocate.
 * Returns NULL with a sticky error: out of memory, a name that is missing, too long or registered before, an impossible
 * shape, an unknown `init`, n_matrices that do not divide the rows, a registry that is already allocated. */
hl_tensor *hl_parameters_add(hl_parameters *parameters, hl_parameter_spec spec);

/* Gives a registered tensor a second name. A NULL tensor is ignored. Sticky error as above, and if the tensor does not
 * belong to the registry. */
void hl_parameters_alias(hl_parameters *parameters, const char *name, const hl_tensor *tensor);

/* The first error of the registrations, or HL_OK. */
hl_status hl_parameters_status(const hl_parameters *parameters);

/* Leaves an error on the registry unless it already has one. For modules that were given invalid arguments. */
void hl_parameters_fail(hl_parameters *parameters, hl_status error);

/* Allocates both blocks and zeroes them. Returns the sticky error, HL_NO_MEMORY, or HL_INVALID at the second call. */
hl_status hl_parameters_allocate(hl_parameters *parameters);

/* The same without gradients, for parameters that are not trained and so require no gradient. */
hl_status hl_parameters_allocate_frozen(hl_parameters *parameters);

/* HL_INVALID if neither of the two functions above has been called. */
hl_status hl_parameters_check_allocated(const hl_parameters *parameters);

/* Draws every value according to its `init`, from the stream "init <name>" of `seed`. Allocate first. Cannot fail. */
void hl_parameters_initialise(hl_parameters *parameters, uint64_t seed);

/* The same on several threads, with the same bits. */
void hl_parameters_initialise_on(hl_parameters *parameters, uint64_t seed, int threads);

/* Sets all gradients to zero. Call hl_parameters_allocate first. Cannot fail. */
void hl_parameters_zero_grad(hl_parameters *parameters);

/* From now on, passes add gradients to `block` (count numbers, not owned) instead of `grads`. */
void hl_parameters_grads_into(hl_parameters *parameters, hl_real *block);

/* Returns the parameter with that name or alias, or NULL. */
const hl_parameter *hl_parameters_find(const hl_parameters *parameters, const char *name);

/* The number of learned values, without the gaps. Tied parameters count once. */
int64_t hl_parameters_count(const hl_parameters *parameters);

/* Frees everything the registry owns and zeroes it. A zeroed registry is allowed. */
void hl_parameters_free(hl_parameters *parameters);

HL_END_DECLS
