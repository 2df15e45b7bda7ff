/* The lines of a treebank in CoNLL-U or, if allowed, of plain text. The first line that is neither empty nor begins
 * with # decides: in a treebank it has tabs, in a text it has none. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/lines.h"

#include <stdbool.h>

typedef struct hl_conllu_input {
    hl_lines *lines;
    bool may_be_text, is_text; /* is_text: known once the first line has been returned */
} hl_conllu_input;

/* Returns the next line, as hl_lines_next; it is valid until the next call. Fails in the same way, and with HL_BAD_FILE
 * if a line of a text has a tab, or if too many comments precede the first word to keep them. */
hl_status hl_conllu_input_next(hl_conllu_input *input, hl_line *line);

/* Adds the words of a line of text, separated by white space, as a CoNLL-U sentence whose other columns are empty
 * ("_"). False if the line has no words. HL_NO_MEMORY is left on the text. */
bool hl_conllu_add_text(hl_text *text, const hl_line *line);
