/* The first weights of a new run. */
#pragma once

#include "pretrained/pretrained.h"
#include "programs/train/command.h"
#include "train/trainer.h"

/* Checks that the file of train.weights or train.from exists and begins as it should. A continued run needs no check.
 * `is_open`: train.from is a folder, which was opened. Call it before the data are made, because this may take long.
 * HL_INVALID: the run would replace the run that holds this file, but a run that is cut off before its first checkpoint
 * needs it again; HL_BAD_FILE, naming the remedy; HL_NO_MEMORY. */
hl_status hl_first_weights_check(const hl_config *config, hl_run_mode mode, bool is_open);

/* Draws the weights, or reads those of train.weights, else those of train.from: a file, or an open model, about which
 * it prints three lines. If an open model's output layer has other labels than the data, it keeps its drawn values.
 * *open: the folder of train.from; if it is NULL, it is opened here; the caller closes it. HL_BAD_FILE, HL_INVALID (a
 * model that the folder's kind does not have), HL_NO_MEMORY. */
hl_status hl_first_weights_get(hl_trainer *trainer, hl_pretrained **open, hl_train_shown shown);
