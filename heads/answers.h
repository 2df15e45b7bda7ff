/* What a model answers on the examples of a snapshot. */
#ifndef HL_HEADS_ANSWERS_H
#define HL_HEADS_ANSWERS_H

#include "core/declarations.h"
#include "core/examples.h"
#include "core/real.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Nothing is owned. */
typedef struct hl_answers {
    const int32_t *targets; /* (E, T): the right token, or HL_IGNORE where no answer is scored */
    const hl_real *logits;  /* (E, T, V) */
    int64_t vocabulary;     /* V */
} hl_answers;

/* Writes predictions (T) of example e: the token with the largest logit, the first of equals, at the positions before
 * `length` that have a target; HL_IGNORE at all others. n_tokens is T. */
void hl_answers_predict(const hl_answers *answers, int64_t e, int64_t length, int64_t n_tokens, int32_t *predictions);

/* The answer at one position: the token of the largest of n >= 1 logits, the first of equals. */
int32_t hl_answer_of(const hl_real *logits, int64_t n);

HL_END_DECLS

#endif
