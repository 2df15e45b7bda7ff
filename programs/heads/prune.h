/* heads --prune, --prune-once and --prune-to: the curve, and the smaller model as a file or as an open model. */
#ifndef HL_PROGRAMS_HEADS_PRUNE_H
#define HL_PROGRAMS_HEADS_PRUNE_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Takes heads out as the command says (programs/heads/pruning.h) and prints a table to `out`, unless CSV goes there;
 * writes the files that it asks for, with prune_to the smaller model, too: weights under the names of
 * train/checkpoint.h, whose metadata are the run's config with the layers' new heads, key/value heads and widths, and
 * `heads`, the names that they had; and prints how to fine-tune it; or the folder of programs/heads/export_model.h.
 * HL_INVALID (a prune_to outside one head in every
 * layer .. all but one, an --out that is a file of the run itself), HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_prune_show(hl_opened_model *run, const hl_heads_command *command, FILE *out, FILE *err);

#endif
