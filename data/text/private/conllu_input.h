/* The lines of a file that is a treebank in CoNLL-U or, where that is allowed, plain text: as which it is read is told
 * by its first line that is neither empty nor begins with #. A treebank's has tabs, a text's has none. */
#ifndef HL_DATA_TEXT_PRIVATE_CONLLU_INPUT_H
#define HL_DATA_TEXT_PRIVATE_CONLLU_INPUT_H

#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hl_conllu_input {
    hl_lines *lines;
    bool may_be_text, is_text; /* is_text: known once the first line was given out */
    hl_text ahead;             /* the lines that were read to know it, given out up to `given` */
    size_t given;
    int64_t n_given; /* lines out of `ahead` */
} hl_conllu_input;

/* The next line, as hl_lines_next; it stands until the next call. Fails likewise, and with HL_BAD_FILE where a line of
 * a text has a tab, or where so many comments stand before a first word that they cannot be kept. */
hl_status hl_conllu_input_next(hl_conllu_input *input, hl_line *line);

/* Adds the words of a line of text, which white space separates, as a sentence of CoNLL-U with nothing stated; false
 * where it has none. HL_NO_MEMORY is left on the text. */
bool hl_conllu_add_text(hl_text *text, const hl_line *line);

#endif
