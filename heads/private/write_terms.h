/* The centred logits of answers as sums of terms, one for each writer; for writes.c. */
#pragma once

#include "core/base/status.h"
#include "core/batch.h"
#include "heads/private/answer_path.h"
#include "heads/private/write_pass.h"
#include "heads/writes.h"

#include <stddef.h>
#include <stdint.h>

/* A scored position; or, with a mean or last row (config.pooling), an example. Its hidden state is the mean of n
 * rows. */
typedef struct hl_write_answer {
    int64_t example;  /* its index among all examples */
    int64_t target;   /* its index among the batch's targets */
    int32_t id;       /* the right answer */
    int64_t first, n; /* the rows, among those that the pass has kept */
} hl_write_answer;

/* For at most R rows at once. The arrays are not owned. */
typedef struct hl_write_terms {
    int n_writers;    /* W */
    hl_real *h, *g;   /* (R, D) each. h: the answers' hidden states; g: gradients for answers, then for rows */
    hl_real *answers; /* (R, D) */
    hl_real *u;       /* (R, H * Dv of the widest layer): g W_O */
    int32_t *ids;     /* (R) */
    double *rows;     /* (R, W): the terms of each row */
    double *terms;    /* (R, W): the terms of each answer, in the order of hl_writers_of */
    /* Called for each layer, the last one first, with u of all rows that the pass has kept; may be NULL. */
    void (*toward)(void *context, int layer, const hl_real *u);
    void *context;
} hl_write_terms;

/* Takes the arrays. The model need not be allocated. */
void hl_write_terms_lay_out(hl_write_terms *t, hl_block *block, const hl_model *model, int64_t R);

/* Writes the model's writers in the order of the pass and returns how many there are; `writers` may be NULL. */
int hl_writers_of(const hl_model *model, hl_writer *writers);

/* Lists the batch's answers, in the order of their targets: all targets but HL_IGNORE. Their rows are those of the
 * batch, and their examples are counted from the batch's first one. Returns how many there are, at most one for each
 * row. */
int64_t hl_write_answers_of(const hl_model *model, const hl_batch *batch, hl_write_answer *answers);

/* Computes t->terms for the n answers from what the pass has kept. HL_NO_MEMORY. */
hl_status hl_write_terms_of(hl_write_terms *t, const hl_write_pass *pass, hl_answer_path *path,
                            const hl_write_answer *answers, int64_t n);
