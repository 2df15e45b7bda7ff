/* The text that a plan's variants are trained on; for plan.c alone. */
#ifndef HL_PROGRAMS_ABLATE_PLAN_DATA_H
#define HL_PROGRAMS_ABLATE_PLAN_DATA_H

#include "programs/ablate/plan.h"
#include "train/config.h"

#include <stdio.h>

/* Opens the text of the variant that the plan in the sweep's folder calls `name`, where the config is for one, which
 * sets what follows from it in the config; what is missing is made. A text that cannot be read, because it is gone
 * perhaps, is not needed where that plan says what the variant's data are: they are then taken from the folder.
 * `notices`: what was noticed is told, too; `out`: as of hl_open_data, with which it fails; `tokens`: an open model's,
 * or NULL. Data that are made in the sweep's folder are added to plan->made. */
hl_status hl_ablate_plan_data_open(const hl_ablate_command *command, hl_ablate_plan *plan, const char *name,
                                   bool notices, FILE *out, const hl_tokens *tokens, hl_config *config);

#endif
