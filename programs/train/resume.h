/* Continues a run in its folder. */
#pragma once

#include "train/loop.h"

/* Restores a loop and its trainer from the folder's checkpoint: weights, moments, state. It makes the folder first. If
 * there is no checkpoint yet, loop->checkpoint_step stays -1, the config gets train.weights from the run's own config,
 * and the caller finds the first weights. `path` is the config's, for messages. *kept: the best weights that the
 * checkpoint knows are in model-before.safetensors. HL_INVALID if the config differs, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_resume(hl_loop *loop, hl_config *config, hl_run_folder *folder, const char *path, bool *kept);

/* If the best weights that the checkpoint knows were kept under another name, gives them their own name again, and
 * removes the newer file of that name. HL_BAD_FILE. */
hl_status hl_resume_take_best(const hl_run_folder *folder, bool kept);

/* The number of steps that are left, from the checkpoint's header; for a new run, all. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_resume_steps_left(const hl_config *config, const hl_run_folder *folder, int64_t *steps);
