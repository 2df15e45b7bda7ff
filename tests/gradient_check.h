/* Gradient checks: the analytic gradient of a graph against a numeric one. In double only.
 *
 * The scalar that is differentiated is sum(weights * y) with fixed random weights, so that every output counts. The
 * numeric derivative is the four-point stencil (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h with h = 1e-3, whose error
 * is of order h^4: graphs must be smooth within 2h of the point, so inputs stay 5h away from kinks. A number passes
 * where |analytic - numeric| <= 1e-9 + 1e-6 * |numeric|; NaN does not. */
#pragma once

#include "core/parameters.h"
#include "core/tape.h"

enum { GRADIENT_CHECK_MAX_INPUTS = 16, GRADIENT_CHECK_TEXT = HL_STATUS_TEXT + 64 };

#define GRADIENT_CHECK_STEP 1e-3

/* A leaf of the graph. Its numbers are changed while the check runs and put back. */
typedef struct gradient_input {
    const char *name;
    hl_shape shape;
    hl_real *values;
    bool frozen; /* requires no gradient: its gradient must not come to be, and its numbers are not varied */
} gradient_input;

typedef struct gradient_check {
    /* Builds the graph and returns the tensor to differentiate; NULL where the tape has an error. It must build the
     * same graph every time. `inputs` are tensors over the numbers of `inputs` below. */
    hl_tensor *(*build)(hl_tape *tape, hl_tensor *const *inputs, void *context);
    void *context;
    const gradient_input *inputs;
    int n_inputs;
    hl_parameters *parameters; /* NULL, or a registry with values: all that requires a gradient is checked too, all else
                                  must keep a zero gradient. Its gradients are overwritten */
    hl_tape_options options;   /* `gradients` and `dry` are set by the check */
    int64_t at_most;           /* of a larger tensor so many numbers, spread evenly; 0: every number of every tensor */
} gradient_check;

typedef struct gradient_report {
    bool passed;
    int64_t n_checked;              /* numbers compared */
    double worst;                   /* the largest error in units of its tolerance; at most 1 where the check passed */
    char text[GRADIENT_CHECK_TEXT]; /* the worst number, with its tensor; or what went wrong */
} gradient_report;

/* Runs the check. Nothing is left allocated. */
gradient_report gradient_check_run(const gradient_check *check);

/* Fails the running test, with `name` and the report's text, unless the check passes. */
void gradient_check_assert(const char *name, const gradient_check *check);
