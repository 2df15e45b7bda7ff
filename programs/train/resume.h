/* A run that goes on in its folder. */
#ifndef HL_PROGRAMS_TRAIN_RESUME_H
#define HL_PROGRAMS_TRAIN_RESUME_H

#include "programs/train/program_run.h"

/* Goes on from the checkpoint: weights, moments, state; where there is none yet, from the beginning. Makes the folder
 * first. HL_INVALID where the config is another, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_train_call_resume(hl_train_call *program);

/* How many steps are left, by the checkpoint's header; all of a run that begins. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_train_call_steps_left(const hl_train_call *program, int64_t *steps);

#endif
