/* What `heads writes` measures, and what it says of a single example. */
#pragma once

#include "heads/writes.h"
#include "programs/heads/deliver.h"
#include "study/model.h"

/* What was measured: on one example where the command names one. */
typedef struct hl_heads_writes {
    const hl_opened_model *run;      /* not owned */
    const hl_heads_command *command; /* not owned */
    hl_examples examples;            /* on which it was measured; its arrays belong to the run's snapshot */
    hl_writes own;                   /* what the model writes; owned */
    hl_writes null; /* what the same shape with random weights writes, as many members; empty for one example; owned */
    int *order;     /* (n_rows): the rows, as indices of writers; only heads if there are no answers; owned */
    int n_rows;
} hl_heads_writes;

/* Adds all forms of the answers of one example, whose terms were kept: a row for each answer, with what the largest
 * writers add to it, the sum of the others, and the logit; with --wide, all writers. JSON: {"step", "example",
 * "tokens", "exact", "largest_gap", "writers": names, "answers": [{"position", "token", "answer", "logit", "terms": a
 * number for each writer}]}; CSV a row for each answer and writer. */
void hl_heads_writes_example(const hl_heads_writes *writes, hl_heads_answer *answer);
