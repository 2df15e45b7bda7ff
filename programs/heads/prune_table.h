/* The curve of heads --prune: what is left of the model with fewer and fewer heads. */
#ifndef HL_PROGRAMS_HEADS_PRUNE_TABLE_H
#define HL_PROGRAMS_HEADS_PRUNE_TABLE_H

#include "programs/heads/pruning.h"

#include <stdio.h>

/* Prints the curve as a table to `out`, unless a file of the command fills it: a heading, a row for every number of
 * heads left, and sentences; no line is longer than HL_TABLE_WIDTH but the first, which has the run's path. Writes what
 * the command asks for to its files: JSON {"weights_step" (null: not known), "examples", "rows": [the columns of CSV as
 * members; "removed" is null in the first]}; CSV
 * heads,removed,loss,perplexity,accuracy,parameters,milliseconds_per_batch, where `removed` is empty in the first row;
 * the chart (show/curve_picture.h). HL_BAD_FILE, HL_NO_MEMORY, HL_FAILED. */
hl_status hl_heads_prune_show_curve(const hl_heads_pruning *pruning, const hl_heads_command *command, FILE *out);

#endif
