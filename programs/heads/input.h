/* Runs a model on tokens that a user wrote, or a text model on a text. */
#pragma once

#include "study/model_examples.h"

typedef struct hl_heads_input {
    hl_examples example; /* the tokens, without targets and sources */
    hl_snapshot maps;    /* the model's maps of the same example; owned, like the next one */
    int32_t *integers;   /* the memory of the example */
} hl_heads_input;

/* The most tokens that `text` can have. */
int64_t hl_heads_input_most(const hl_model_source *run, const char *text);

/* Reads `text`: tokens of the run's vocabulary, separated by blanks. For a text model, the text is cut into tokens like
 * its training text, and the texts of special tokens become these tokens. A model of tags reads words separated by
 * blanks; a model of pairs reads two texts separated by a tab, and so does an open model if there is a tab. `option`:
 * the option's name in messages, without dashes. HL_INVALID: no tokens, one that is unknown (the message names it, one
 * that may be meant, and some that exist) or is padding, more than the model takes, no pair. HL_NO_MEMORY. On success
 * ended by hl_heads_input_free; the maps are empty. */
hl_status hl_heads_input_read(const hl_model_source *run, const char *option, const char *text, hl_heads_input *input);

/* The same for --input, and runs the model, which must have been loaded, on it. The words of the maps are then known
 * (hl_snapshot_find_words). */
hl_status hl_heads_input_run(const hl_opened_model *run, const char *text, hl_heads_input *input);

/* A zeroed or already freed one is allowed. */
void hl_heads_input_free(hl_heads_input *input);
