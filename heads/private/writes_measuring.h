/* The state of a measurement of what heads write; for writes.c and writes_slice.c. */
#pragma once

#include "heads/evaluator.h"
#include "heads/private/copies.h"
#include "heads/private/write_terms.h"
#include "heads/writes.h"
#include "heads/written_norms.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_writes_measuring {
    const hl_model *model;
    const hl_examples *examples;
    const hl_writes_options *options;
    hl_writes *writes;
    int64_t most_rows;

    hl_write_pass pass;
    hl_written_norms norms;
    hl_real *scratch; /* for hl_written_norms_of */
    double *lengths;  /* (most_rows) twice: |x|, |o| */

    /* Used if there are answers, and if copies are measured. */
    hl_answer_path path;
    hl_write_terms terms;
    hl_copies_measuring copies;
    bool *drawn;               /* (scored positions): whether copies are measured there */
    int64_t n_drawn, at_drawn; /* the length of `drawn`, and the index of the next position in it */

    /* Of the current slice. */
    hl_sequences sequences;
    int64_t first_example;
    int32_t *rows; /* (most_rows): the n_rows rows that the pass keeps */
    int64_t n_rows;
    hl_write_answer *answers; /* (most_rows) */
    int64_t n_answers;

    /* For each of the E examples: sums over its positions, later means. */
    double *direct;     /* (E, W) */
    double *logits;     /* (E) */
    double *head_norms; /* (E, heads) */
    int64_t *counts;    /* (E): scored positions */
    hl_status status;   /* the status of the slices so far */
} hl_writes_measuring;

/* Whether an example scores. */
bool hl_writes_scores(const hl_writes_measuring *m, int64_t example);

/* Called by the evaluator before and after the pass over a slice; the context is the measurement. */
bool hl_writes_begin_slice(void *context, hl_evaluator_slice *slice);
void hl_writes_end_slice(void *context, const hl_evaluator_slice *slice, const hl_real *logits);

/* The pass's `attended`: adds |o| / |x| for every head of a layer, over all rows. */
void hl_writes_add_norms(void *context, int layer, int64_t n_rows, const hl_real *x, const hl_real *z);
