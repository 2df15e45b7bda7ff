/* Plain text as CoNLL-U. */
#pragma once

#include "core/base/text.h"
#include "data/text/lines.h"

#include <stdbool.h>

/* Adds the words of a line of text, separated by white space, as a CoNLL-U sentence whose other columns are empty
 * ("_"). False if the line has no words. HL_NO_MEMORY is left on the text. */
bool hl_conllu_add_text(hl_text *text, const hl_line *line);
