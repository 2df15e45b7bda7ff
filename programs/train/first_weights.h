/* The weights that a new run begins with. */
#ifndef HL_PROGRAMS_TRAIN_FIRST_WEIGHTS_H
#define HL_PROGRAMS_TRAIN_FIRST_WEIGHTS_H

#include "programs/train/program_run.h"

/* Whether there is what train.weights or train.from names, and it begins as it should; of a run that goes on nothing is
 * asked. Before the data are made, which may take long. HL_INVALID: a run that replaces another would remove it, and a
 * run that is cut off before its first checkpoint needs it again; HL_BAD_FILE, naming the remedy; HL_NO_MEMORY. */
hl_status hl_first_weights_check(const hl_train_call *call);

/* Draws the weights, or reads those of train.weights, else of train.from: a file's, or an open model's, which is told
 * in three lines. Of an open model an output layer of other labels than the data's stays as it was drawn. HL_BAD_FILE,
 * HL_INVALID (a model that the folder's kind has not), HL_NO_MEMORY. */
hl_status hl_first_weights_get(hl_train_call *call);

#endif
