/* The text that a plan's variants are trained on. Only plan.c uses this. */
#pragma once

#include "programs/ablate/plan.h"
#include "train/config.h"

#include <stdio.h>

/* Opens the text of the variant `name`, if the config is for a text, and sets in the config what follows from it.
 * Missing data are made and added to plan->made. The text itself need not be readable, for example because it is gone,
 * if the plan in the sweep's folder names the variant's data, which are then taken from the folder. `notices`: print
 * notices, too. `out` and failures as in hl_open_data. `tokens`: those of an open model, or NULL. */
hl_status hl_ablate_plan_data_open(const hl_ablate_command *command, hl_ablate_plan *plan, const char *name,
                                   bool notices, FILE *out, const hl_tokens *tokens, hl_config *config);
