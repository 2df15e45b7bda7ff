/* Shows maps: draws them in the terminal, and writes figures and arrays. */
#pragma once

#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* Pixels per inch: sharp in print at the size of a page, and on a screen of twice the usual density. */
enum { HL_HEADS_PNG_DPI = 300 };

/* Draws the maps of the command to `out`, or writes the requested files. It draws only if no picture or array is
 * requested and no file goes to the output. For an input, the tokens and the model's answers (programs/heads/answers.h)
 * are printed above. HL_INVALID (an unknown head, step or example, a wrong input), HL_BAD_FILE,
 * HL_NO_MEMORY, HL_FAILED. */
hl_status hl_heads_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);
