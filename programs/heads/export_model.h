/* heads MODEL --export DIR: the model as a folder of an open model. */
#ifndef HL_PROGRAMS_HEADS_EXPORT_MODEL_H
#define HL_PROGRAMS_HEADS_EXPORT_MODEL_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Writes the folder (pretrained/write.h) and tells on `out` what is in it. HL_INVALID: a toy task's model, or one that
 * no open model is like; HL_BAD_FILE: a folder that holds files, where they are not to be replaced, that holds a run,
 * or that is the model's own, and as hl_opened_model_load and hl_pretrained_write; HL_NO_MEMORY. */
hl_status hl_heads_export_model(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
