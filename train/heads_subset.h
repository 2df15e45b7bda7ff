/* heads --keep-only and --drop: what a run's model is worth with some of its heads. */
#ifndef HL_TRAIN_HEADS_SUBSET_H
#define HL_TRAIN_HEADS_SUBSET_H

#include "heads/text.h"
#include "train/heads_command.h"
#include "train/opened_run.h"

/* Adds a table with a row for all heads and one for those that the command keeps (keep_only or drop is given): loss,
 * perplexity, accuracy on the validation set with the last checkpoint's weights, which are loaded. HL_INVALID naming
 * the option and what in it names no head, HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_subset_write(hl_text *text, hl_opened_run *run, const hl_heads_command *command);

#endif
