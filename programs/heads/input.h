/* The model of a run on tokens that a user wrote, or of a text model on text. */
#ifndef HL_PROGRAMS_HEADS_INPUT_H
#define HL_PROGRAMS_HEADS_INPUT_H

#include "study/model_examples.h"

typedef struct hl_heads_input {
    hl_examples example; /* the tokens, without targets and sources */
    hl_snapshot maps;    /* the model's, of the same example; owned, as is the next */
    int32_t *integers;   /* of the example */
} hl_heads_input;

/* How many tokens `text` has at most. */
int64_t hl_heads_input_most(const hl_model_source *run, const char *text);

/* Reads `text`, tokens of the run's vocabulary with blanks between. A text model's text is cut into tokens as its
 * training text was, and the texts of special tokens become these tokens; a model of tags reads words with blanks
 * between, a model of pairs two texts with a tab between (so does an open model, if there is a tab). `option`: its name
 * in messages, without dashes. HL_INVALID: no tokens, one that is unknown (the message names it, one that may be meant,
 * and some that exist) or is padding, more than the model takes, no pair. HL_NO_MEMORY. On success ended by
 * hl_heads_input_free; the maps are empty. */
hl_status hl_heads_input_read(const hl_model_source *run, const char *option, const char *text, hl_heads_input *input);

/* The same of --input, and runs the model on it, which must have been loaded. The words of the maps are then known
 * (hl_snapshot_find_words). */
hl_status hl_heads_input_run(const hl_opened_model *run, const char *text, hl_heads_input *input);

/* A zeroed or already freed one is allowed. */
void hl_heads_input_free(hl_heads_input *input);

#endif
