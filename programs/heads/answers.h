/* What a model answers to tokens that a user wrote. */
#ifndef HL_PROGRAMS_HEADS_ANSWERS_H
#define HL_PROGRAMS_HEADS_ANSWERS_H

#include "core/base/text.h"
#include "core/files/json.h"
#include "heads/snapshot.h"
#include "study/model_source.h"

/* Adds the tokens of example 0 as a paragraph, and where the model has an output layer a table of answers: of every
 * <mask>, or where there is none of every position, of tags of every word and of classes one, its token, the token that
 * the model gives the highest probability (the first of equals), and that. Tokens as they are shown. HL_NO_MEMORY is
 * left on the text. */
void hl_heads_answers_print(hl_text *text, const hl_model_source *run, const hl_snapshot *maps);

/* The same table: [{"position", "token", "answer", "probability"}]. NULL: out of memory. */
json_t *hl_heads_answers_json(const hl_model_source *run, const hl_snapshot *maps);

#endif
