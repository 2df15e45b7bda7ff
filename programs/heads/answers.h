/* A model's answers to tokens that a user wrote. */
#pragma once

#include "core/base/text.h"
#include "core/files/json.h"
#include "heads/snapshot.h"
#include "study/model_source.h"

/* Adds the tokens of example 0, a blank before each. HL_NO_MEMORY is left on the text. */
void hl_heads_tokens_print(hl_text *text, const hl_vocabulary *vocabulary, const hl_examples *examples);

/* The same as a list. NULL: out of memory. */
json_t *hl_heads_tokens_json(const hl_vocabulary *vocabulary, const hl_examples *examples);

/* Adds the tokens of example 0 as a paragraph. If the model has an output layer, it adds a table of answers, with a row
 * for every <mask>, or for every position if there is no mask; for tags a row for every word, and for classes one row.
 * A row has the position's token, the most probable token (the first of equals), and its probability. HL_NO_MEMORY is
 * left on the text. */
void hl_heads_answers_print(hl_text *text, const hl_model_source *run, const hl_snapshot *maps);

/* The same table: [{"position", "token", "answer", "probability"}]. NULL: out of memory. */
json_t *hl_heads_answers_json(const hl_model_source *run, const hl_snapshot *maps);
