/* What `heads` does with maps: draws them in the terminal, writes figures and arrays. */
#ifndef HL_PROGRAMS_HEADS_MAPS_H
#define HL_PROGRAMS_HEADS_MAPS_H

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Pixels per inch: sharp in print at the size of a page, and on a screen of twice the usual density. */
enum { HL_HEADS_PNG_DPI = 300 };

/* Everything that hl_heads_command_shows names, and --json and --csv of these maps; drawings go to `out`. A command
 * that asks for no picture or array is drawn, unless something else fills the output; on an input, the tokens and the
 * model's answers (programs/heads/answers.h) stand above. HL_INVALID (an unknown head, step or example, a wrong input),
 * HL_BAD_FILE, HL_NO_MEMORY, HL_FAILED. */
hl_status hl_heads_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
