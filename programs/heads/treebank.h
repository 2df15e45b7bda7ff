/* `heads MODEL --treebank FILE`: which head finds which relation. */
#ifndef HL_PROGRAMS_HEADS_TREEBANK_H
#define HL_PROGRAMS_HEADS_TREEBANK_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Reads the treebank, loads the weights where there is memory for all that is asked, runs the model over it and prints
 * the table, or where --relation is given that of all heads for it, and writes the files that are asked for; how far
 * it is goes to `err`. Fails as hl_opened_model_load, hl_syntax_study_read, hl_syntax_study_make and hl_output_put,
 * and with HL_INVALID where the treebank has no such relation, with those it has. */
hl_status hl_heads_treebank_show(hl_opened_model *model, const hl_heads_command *command, FILE *out, FILE *err);

#endif
