/* A model on the sentences of a file: reads the sentences, and finds the folder for the results. */
#pragma once

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* HL_INVALID if sentences are given together with another kind of examples, or if their folder is named without
 * sentences. */
hl_status hl_heads_examples_check(const hl_heads_command *command);

/* Whether heads.csv and report.html of the sentences go to a folder: if --out names one, or no other file is
 * requested. */
bool hl_heads_examples_fill_folder(const hl_heads_command *command);

/* Finds this folder and checks that it may be written to. The caller frees *folder with hl_free. Nothing is made yet.
 * HL_BAD_FILE, naming a remedy: the folder is the model's own or inside it, holds a run or an open model, is a file,
 * cannot be written to, or holds one of the two files and --overwrite is not given. HL_NO_MEMORY. */
hl_status hl_heads_examples_find_folder(const hl_model_source *run, const hl_heads_command *command, char **folder);

/* A folder for results: its option, and the words of messages that ask for one and for another one. */
typedef struct hl_heads_place {
    const char *option, *one, *another;
} hl_heads_place;

/* What it holds: anything, a run, an open model, heads.csv or report.html. */
typedef struct hl_heads_content {
    bool any, run, model, ours;
} hl_heads_content;

/* Checks that the folder, which need not be there, may be written to, and looks what it holds. HL_BAD_FILE, naming a
 * remedy: as hl_heads_check_place, or it is a file or holds a run; HL_NO_MEMORY. */
hl_status hl_heads_look_into(const hl_heads_place *place, const char *folder, const char *model,
                             hl_heads_content *found);

/* Checks that the folder is neither the model's own nor inside it. HL_BAD_FILE, naming the option for another folder;
 * HL_NO_MEMORY. */
hl_status hl_heads_check_place(const char *folder, const char *model, const char *option);

/* Reads the sentences (hl_opened_model_examine). Prints to `err` how far it is if this takes long, and how many
 * sentences are cut. Fails likewise. */
hl_status hl_heads_examples_read(hl_opened_model *run, const hl_heads_command *command, FILE *err);
