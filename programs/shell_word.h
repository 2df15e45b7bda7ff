/* Words of a shell's command line, to be copied. */
#pragma once

#include "core/base/text.h"

/* Adds the word, which ends in `tail`: in quotes where it needs them, and in $'...' where bytes in it are not shown as
 * they are, which then stand in hexadecimal. HL_NO_MEMORY is left on the text. */
void hl_shell_word(hl_text *text, const char *word, const char *tail);
