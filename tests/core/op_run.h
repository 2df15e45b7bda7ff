/* One op case, run forward and backward, in the precision it is compiled for: hl_real is not mentioned here, so that a
 * float program can call both the float version and the double one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { OP_RUN_RESULTS = 5 }; /* y, and the gradient of each input */

/* What came out; converted to double, which loses nothing. Owned by the caller: op_run_free. */
typedef struct op_run_result {
    int64_t count[OP_RUN_RESULTS]; /* 0: there is none */
    double *numbers[OP_RUN_RESULTS];
} op_run_result;

/* How a case is run: training, on so many threads; `reuse` as in hl_tape_options; the inputs times 2^exponent, rounded
 * to float in both precisions. */
typedef struct op_run_options {
    int threads;
    bool reuse;
    bool recompute; /* of an attention: whether backward makes the weights again, whatever the case says */
    int exponent;
    int nudge;  /* 1, 2, ...: one of many ways to move every input up or down by 2^-22 of itself; 0: none */
    int filled; /* 1, 2, ...: this input holds nothing but `filling`; 0: none does */
    double filling;
} op_run_options;

/* Runs case `index` of op_cases, from op_case_dy backward. False where an op or the memory failed. */
bool op_run(int index, op_run_options options, op_run_result *result);

/* The same, by the double library. */
bool double_op_run(int index, op_run_options options, op_run_result *result);

static inline void op_run_free(op_run_result *result)
{
    for (int i = 0; i < OP_RUN_RESULTS; i++) {
        free(result->numbers[i]);
    }
}
