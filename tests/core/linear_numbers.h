/* A linear map's numbers and gradients, and passes over them in float and bf16. */
#pragma once

#include "core/arena.h"
#include "core/tape.h"

typedef struct map {
    int64_t N, O, I;
} map;

enum { X, W, B, DY, R, INPUTS, Y = INPUTS, DX, DW, DB, DR, ARRAYS };

/* All numbers of a linear map, its gradients beside them. */
typedef struct numbers {
    map of;
    int64_t count[ARRAYS];
    hl_real *at[ARRAYS];
} numbers;

numbers numbers_make(map of);
void numbers_free(numbers *n);
void numbers_copy_inputs(numbers *to, const numbers *from);

/* `plain`: without b. `relu`: with ReLU. `fused`: with ReLU, dropout and residual, whose gradient DR is. `reuse`:
 * memory, as a training does. `twice`: the sum of two such maps, so that what comes back from one is added to what came
 * from the other. */
typedef struct call {
    int threads;
    bool bf16, plain, relu, fused, reuse, twice;
} call;

/* A plan for passes over at most the rows of `of`; code for them is generated. */
void numbers_plan(map of, call c, hl_tape_plan *plan);

/* One pass: fills the results of n from its inputs. `plan`: NULL, or made before of at least as many rows. */
hl_status numbers_pass(const numbers *n, call c, const hl_tape_plan *plan, hl_arena *arena);

/* A pass that succeeds, in memory of its own. */
void numbers_run(const numbers *n, call c);
