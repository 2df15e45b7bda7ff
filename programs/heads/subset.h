/* heads importance --keep and --drop: what a model is worth with some of its heads. */
#ifndef HL_PROGRAMS_HEADS_SUBSET_H
#define HL_PROGRAMS_HEADS_SUBSET_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Prints a table to `out` with a row for all heads and one for those that the command keeps (keep or drop is given):
 * loss, perplexity, accuracy on the validation set with the last checkpoint's weights, which are loaded; or writes them
 * as the command says: as JSON {"weights_step" (null: not known), "examples", "kept": ["L0H2", ...], "rows": [{"heads",
 * "loss", "perplexity", "accuracy"}]}, as CSV the rows. HL_INVALID naming the option and what in it names no head,
 * HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_subset_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
