/* A run that goes on in its folder. */
#ifndef HL_PROGRAMS_TRAIN_RESUME_H
#define HL_PROGRAMS_TRAIN_RESUME_H

#include "train/loop.h"

/* Restores a loop and its trainer from the folder's checkpoint: weights, moments, state. Where there is none yet,
 * loop->checkpoint_step stays -1, the config takes train.weights from the run's own, and the caller finds the first
 * weights. Makes the folder first. `path` is the config's, for messages. *kept: the best weights that the checkpoint
 * knows are in model-before.safetensors. HL_INVALID if the config is another, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_resume(hl_loop *loop, hl_config *config, hl_run_folder *folder, const char *path, bool *kept);

/* Gives the best weights that the checkpoint knows their name again, where they are kept under another, and removes
 * the file of that name: the folder's files are this run's. HL_BAD_FILE. */
hl_status hl_resume_take_best(const hl_run_folder *folder, bool kept);

/* How many steps are left, by the checkpoint's header; all of a run that begins. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_resume_steps_left(const hl_config *config, const hl_run_folder *folder, int64_t *steps);

#endif
