/* `heads grammar MODEL TREEBANK`: which head finds which relation. */
#ifndef HL_PROGRAMS_HEADS_TREEBANK_H
#define HL_PROGRAMS_HEADS_TREEBANK_H

#include "programs/heads/command.h"
#include "programs/waiting.h"
#include "study/model.h"
#include "study/syntax_study.h"

#include <stdio.h>

/* What the command asks of its treebank, told to `waiting`. */
hl_syntax_question hl_heads_treebank_question(const hl_heads_command *command, hl_waiting *waiting);

/* Reads the treebank, loads the weights where there is memory for all that is asked, and runs the model over it; how
 * far it is goes to `err`. Where a page is asked for, with examples. Fails as hl_opened_model_load,
 * hl_syntax_study_read, hl_syntax_study_make and hl_syntax_study_find_cases, and before the model runs with HL_INVALID
 * where the treebank has no relation of the name that --relation gives, with those it has, and with HL_BAD_FILE if a
 * page would be of snapshots and there are none. Ended by hl_syntax_study_free, whatever this returns. */
hl_status hl_heads_treebank_study(hl_syntax_study *study, hl_opened_model *model, const hl_heads_command *command,
                                  FILE *err);

/* Prints the table, or where --relation is given that of all heads for it, and writes the files that are asked for.
 * Fails as hl_output_put. */
hl_status hl_heads_treebank_show(const hl_syntax_study *study, const hl_heads_command *command, FILE *out);

#endif
