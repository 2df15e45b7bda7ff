/* The main part of the program `train`: a run, from its folder to the last file. program.c reads the command line. */
#pragma once

#include "programs/train/command.h"
#include "programs/train/data.h"

/* Trains as the command and the config say, in the run's folder, on the opened data. The data are freed before heads
 * are measured, and may be freed again. Everything else is freed at the end. A folder that is not open yet (path is
 * NULL, lock is -1) is opened; the caller closes it. If a signal interrupts the training, it saves and sets *signal.
 * Fails as its parts: HL_INVALID (a run in the way, another config), HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY,
 * HL_FAILED. */
hl_status hl_train_run(const hl_train_command *command, hl_config *config, hl_train_data *data, hl_run_folder *folder,
                       hl_ranks *ranks, hl_train_shown shown, int *signal);
