/* Opening the data of a config, with progress for whoever waits. */
#pragma once

#include "study/model.h"
#include "train/setup_data.h"

#include <stdio.h>

/* Opens the data as hl_setup_data does, and prints to `out` (NULL: nowhere) how far it is while a text is made into
 * tokens: on a terminal a line that renews itself, elsewhere one every ten seconds. The options' progress is replaced.
 * HL_FAILED if a signal came meanwhile (train/signals.h); else fails as hl_setup_data, and HL_INVALID names the
 * config (options.beside). */
hl_status hl_open_data(hl_config *config, hl_data_options options, FILE *out, hl_dataset **dataset);

/* Adds what the data hold as hl_data_told does, and prints how far the counting is likewise; fails likewise. */
hl_status hl_tell_data(const hl_text_data *data, FILE *out, hl_text *text);

/* Examines the model on the sentences of a file (hl_opened_model_examine), and prints likewise. */
hl_status hl_open_examples(hl_opened_model *run, const char *path, FILE *out);

/* Tells of a run in bf16 that it is computed in float, and why (hl_bf16_missing); of others nothing. */
void hl_tell_precision(const hl_model_source *run, FILE *out);

/* Prints a notice where an open model tags sentences and reads their first word without a space. */
void hl_tell_first_word(const hl_model_source *run, FILE *out);

/* Prints each line of the notices that hl_setup_data left, safe to show. HL_NO_MEMORY if one was lost. */
hl_status hl_print_notices(FILE *out, const hl_text *notices);
