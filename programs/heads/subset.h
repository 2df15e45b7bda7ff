/* heads importance --keep and --drop: loss and accuracy of a model with some of its heads. */
#ifndef HL_PROGRAMS_HEADS_SUBSET_H
#define HL_PROGRAMS_HEADS_SUBSET_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Prints a table to `out`, with a row for all heads and a row for the kept ones (keep or drop must be given): loss,
 * perplexity and accuracy on the validation set, with the last checkpoint's weights, which this loads. Or writes the
 * requested files: JSON {"weights_step" (null: not known), "examples", "kept": ["L0H2", ...], "rows": [{"heads",
 * "loss", "perplexity", "accuracy"}]}, CSV the rows. HL_INVALID, naming the option and the part that is no head,
 * HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_subset_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
