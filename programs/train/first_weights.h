/* The weights that a new run begins with. */
#ifndef HL_PROGRAMS_TRAIN_FIRST_WEIGHTS_H
#define HL_PROGRAMS_TRAIN_FIRST_WEIGHTS_H

#include "pretrained/pretrained.h"
#include "programs/train/command.h"
#include "train/trainer.h"

/* Whether there is what train.weights or train.from names, and it begins as it should; of a run that goes on nothing is
 * asked. `is_open`: train.from is a folder, which was opened. Before the data are made, which may take long.
 * HL_INVALID: a run that replaces another would remove it, and a run that is cut off before its first checkpoint needs
 * it again; HL_BAD_FILE, naming the remedy; HL_NO_MEMORY. */
hl_status hl_first_weights_check(const hl_config *config, hl_run_mode mode, bool is_open);

/* Draws the weights, or reads those of train.weights, else of train.from: a file's, or an open model's, which is told
 * in three lines. Of an open model an output layer of other labels than the data's stays as it was drawn. *open: the
 * folder of train.from, which is opened here where it is NULL; the caller closes it. HL_BAD_FILE, HL_INVALID (a model
 * that the folder's kind has not), HL_NO_MEMORY. */
hl_status hl_first_weights_get(hl_trainer *trainer, hl_pretrained **open, hl_train_shown shown);

#endif
