/* A model looked at on the sentences of a file: reading them, and the folder of what is found. */
#ifndef HL_PROGRAMS_HEADS_EXAMPLES_H
#define HL_PROGRAMS_HEADS_EXAMPLES_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* HL_INVALID if sentences stand beside another kind of examples, or where the command names their folder without
 * them. */
hl_status hl_heads_examples_check(const hl_heads_command *command);

/* Whether heads.csv and report.html of the sentences go to a folder: where --out names one, or no other file is asked
 * for. */
bool hl_heads_examples_fill_folder(const hl_heads_command *command);

/* Finds that folder, *folder in new memory (hl_free), and looks whether it may be written to. Nothing is made yet.
 * HL_BAD_FILE, naming another way: it is the model's own, or in it, holds a run or an open model, is a file, cannot be
 * written to, or holds one of the two files without --overwrite. HL_NO_MEMORY. */
hl_status hl_heads_examples_find_folder(const hl_model_source *run, const hl_heads_command *command, char **folder);

/* Whether the folder may be made or written into: it is not the model's, nor in it. HL_BAD_FILE, naming the option by
 * which another is named; HL_NO_MEMORY. */
hl_status hl_heads_check_place(const char *folder, const char *model, const char *option);

/* Reads the sentences (hl_opened_model_examine), telling on `err` how far it is, where that takes long, and how many
 * are cut. Fails likewise. */
hl_status hl_heads_examples_read(hl_opened_model *run, const hl_heads_command *command, FILE *err);

#endif
