/* heads export MODEL DIR and heads prune --export DIR: write the whole or pruned model as a folder of an open model. */
#pragma once

#include "programs/heads/command.h"
#include "study/model_source.h"

#include <stdbool.h>
#include <stdio.h>

/* Checks that the model's kind and the folder allow this. HL_INVALID: the model of a toy task. HL_BAD_FILE: the folder
 * holds files that may not be replaced, holds a run, or is (or is inside) a folder that is read. */
hl_status hl_heads_export_check(const hl_model_source *run, const hl_heads_command *command);

/* Writes the folder (pretrained/write.h) and tells on `out` what is in it. `model` is the run's, and `kept` NULL; or
 * the same with those heads alone that are kept (one bool for each of the run's, by layer and head), which stay in
 * their places. Fails as hl_heads_export_check, which is to be asked before, and hl_pretrained_write. */
hl_status hl_heads_export_model(const hl_model_source *run, hl_model *model, const bool *kept,
                                const hl_heads_command *command, FILE *out);
