/* `heads grammar MODEL TREEBANK`: which head finds which relation. */
#pragma once

#include "programs/heads/call.h"
#include "programs/waiting.h"
#include "study/model.h"
#include "study/syntax_study.h"

#include <stdio.h>

/* The command's question about its treebank; its progress goes to `waiting`. */
hl_syntax_question hl_heads_treebank_question(const hl_heads_command *command, hl_waiting *waiting);

/* An open model has no examples of its own: its page shows the heads on the treebank's sentences, unless --examples
 * names others. The model must be open. */
void hl_heads_treebank_choose_examples(hl_heads_call *call);

/* HL_BAD_FILE if the command asks for a page of a run's own examples and the run has no snapshots. */
hl_status hl_heads_treebank_check_page(const hl_opened_model *model, const hl_heads_command *command);

/* Reads the treebank, checks the memory, loads the weights, and runs the model over the treebank. The progress goes to
 * `err`. For a page, it also finds cases. Fails as hl_opened_model_load, hl_syntax_study_read, hl_syntax_study_make and
 * hl_syntax_study_find_cases. Before the model runs: HL_INVALID, naming the treebank's relations, if it has none with
 * the name in --relation; HL_BAD_FILE if a page needs snapshots and there are none. Must be freed with
 * hl_syntax_study_free, on failure too. */
hl_status hl_heads_treebank_study(hl_syntax_study *study, hl_opened_model *model, const hl_heads_command *command,
                                  FILE *err);

/* Prints the table, or with --relation the table of all heads for it, and writes the requested files. Fails as
 * hl_output_put. */
hl_status hl_heads_treebank_show(const hl_syntax_study *study, const hl_heads_command *command, FILE *out);
