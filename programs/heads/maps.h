/* What `heads` does with maps: draws them in the terminal, writes figures and arrays. */
#ifndef HL_PROGRAMS_HEADS_MAPS_H
#define HL_PROGRAMS_HEADS_MAPS_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Everything that the command asks for of hl_heads_command_shows, with --json and --csv of these maps: drawings go to
 * `out`. A command that asks for no picture or array is drawn, unless something else fills the output; on an input, the
 * tokens and the model's answers (heads_answers.h) stand above. HL_INVALID (a head, step, example or input that is
 * none), HL_BAD_FILE, HL_NO_MEMORY, HL_FAILED. */
hl_status hl_heads_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
