/* The model of a run on tokens that a user wrote, or of a text model on text. */
#ifndef HL_PROGRAMS_HEADS_INPUT_H
#define HL_PROGRAMS_HEADS_INPUT_H

#include "study/model_examples.h"

typedef struct hl_heads_input {
    hl_snapshot maps;  /* the model's: one example of the tokens, without targets and sources; owned, as is the next */
    int32_t *integers; /* of the example */
} hl_heads_input;

/* How many tokens `text` has at most. */
int64_t hl_heads_input_most(const hl_model_source *run, const char *text);

/* Reads `text`, tokens of the run's vocabulary parted by blanks, and runs the model on them, which must have been
 * loaded. A text model's is cut into tokens as its training text was, with the texts of special tokens as these tokens;
 * of tags its words are parted by blanks, of pairs, also those that an open model is given, the two texts by a tab. Its
 * words are then known (hl_snapshot_find_words). HL_INVALID: no tokens, one that is unknown (names it, one that may be
 * meant, and some that there are) or stands for padding, more than the model takes, no pair. HL_NO_MEMORY. On success
 * ended by hl_heads_input_free. */
hl_status hl_heads_input_run(const hl_opened_model *run, const char *text, hl_heads_input *input);

/* A zeroed or already freed one is allowed. */
void hl_heads_input_free(hl_heads_input *input);

#endif
