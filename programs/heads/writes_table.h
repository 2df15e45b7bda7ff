/* What heads write, as tables: for people, as JSON, CSV and Markdown. */
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
    int *order;                  /* (n_rows): the rows, as indices of writers, or where there are no answers of heads */
    int n_rows;
} hl_heads_writes;

/* Adds all forms. The rows are sorted by size: with answers all writers by |direct|, else heads by their norm. JSON:
 * {"step", "examples", "positions", "exact", "logit", "logit_error", "largest_gap", "writers": [{"writer", "kind",
 * "layer", "head", "direct", "direct_error", "share", "direct_null", "copies", "copies_baseline", "copies_null",
 * "earns_copies", "write_norm", "write_norm_error", "write_norm_null"}]}; CSV the writers; null or nothing where a
 * number is not there. With `wide`, the table has all columns. */
void hl_heads_writes_tables(const hl_heads_writes *writes, bool wide, hl_heads_answer *answer);

/* The same for the answers of one example, whose terms were kept: a row for each answer, with what the largest writers
 * add to it, the sum of the others, and the logit; with `wide`, all writers. `example` is its number. JSON: {"step",
 * "example", "tokens", "exact", "largest_gap", "writers": names, "answers": [{"position", "token", "answer", "logit",
 * "terms": a number for each writer}]}; CSV a row for each answer and writer. */
void hl_heads_writes_example(const hl_heads_writes *writes, int64_t example, bool wide, hl_heads_answer *answer);
