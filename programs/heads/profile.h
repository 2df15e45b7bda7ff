/* heads --profile: how heads look, layer by layer, as in section 3 of Clark et al. 2019 (arXiv:1906.04341): how widely,
 * how far, and how much at separators, at the first token and at punctuation. */
#ifndef HL_PROGRAMS_HEADS_PROFILE_H
#define HL_PROGRAMS_HEADS_PROFILE_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Measures the heads of the snapshot of command->step (-1: the last one) on its scoring examples, prints a table and a
 * strip of dots for each layer, or writes what the command asks for to its files: JSON {"step", "examples", "layers":
 * [{"layer", "heads", "entropy", "entropy_baseline", "distance", ..., "special", "first", "punctuation"}], "heads":
 * [the same with "layer", "head"]}, where a layer has the mean of its heads, the baseline is attention spread evenly,
 * and null stands where there is nothing to measure; CSV, a row a head; Markdown, the table; a figure. Fails as
 * hl_opened_model_snapshot, and as files do. */
hl_status hl_heads_profile_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
