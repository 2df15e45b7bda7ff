/* What `heads writes` measures, and what it says of a single example. */
#pragma once

#include "heads/writes.h"
#include "programs/heads/deliver.h"
#include "study/model.h"

#include <stdbool.h>

/* What was measured. Nothing in it is owned. */
typedef struct hl_heads_writes {
    const hl_opened_model *run;
    const hl_examples *examples; /* on which it was measured */
    int64_t step;                /* of the weights; -1: not known */
    const hl_writes *own;        /* the model's */
    const hl_writes *null;       /* of the same shape with random weights; its members are as many */
    int *order; /* (n_rows): the rows, as indices of writers; where there are no answers, heads alone */
    int n_rows;
    int64_t example; /* the number of the only example; -1: all */
    bool wide;       /* all columns are shown */
} hl_heads_writes;

/* Adds all forms of the answers of one example, whose terms were kept: a row for each answer, with what the largest
 * writers add to it, the sum of the others, and the logit; with `wide`, all writers. JSON: {"step", "example",
 * "tokens", "exact", "largest_gap", "writers": names, "answers": [{"position", "token", "answer", "logit", "terms": a
 * number for each writer}]}; CSV a row for each answer and writer. */
void hl_heads_writes_example(const hl_heads_writes *writes, hl_heads_answer *answer);
