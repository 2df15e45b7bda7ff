/* heads --importance: which heads the loss depends on, and which only look as if it did. */
#ifndef HL_PROGRAMS_HEADS_IMPORTANCE_H
#define HL_PROGRAMS_HEADS_IMPORTANCE_H

#include "heads/share.h"
#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Measures the heads of the snapshot of command->step (-1: the last one) and prints a table to `out`, or writes what
 * the command asks for to its files; with command->treebank joined with what they find there (importance_syntax.h);
 * that all sets may take long goes to `err`. HL_INVALID (no such step, or none of its weights; more heads than
 * --shapley takes), HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. With `share` (NULL: alone) several processes measure
 * together, and the first of them alone prints and writes. */
hl_status hl_heads_importance_show(hl_opened_model *run, const hl_heads_command *command, const hl_share *share,
                                   FILE *out, FILE *err);

#endif
