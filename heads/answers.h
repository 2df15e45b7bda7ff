/* What a model answers on the examples of a snapshot. If there are few logits, all of them are kept. Otherwise each
 * answered position keeps its largest logits, the target's logit, and the log of the sum of exp over all logits. This
 * log sum makes probabilities exact. Both forms have the same interface.
 *
 *     logits (E, T, C)        all logits, or NULL. If NULL:
 *     top_ids (E, T, K)       the ids of the K = min(8, C) largest logits, the largest first, and the lowest id first
 *                             among equals; -1 at positions that are not answered
 *     top_logits (E, T, K), target_logits (E, T), log_sums (E, T)   0 if nothing is answered, or nothing is asked */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/examples.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_ANSWERS_TOP = 8,          /* how many of a position's logits are kept; all if there are fewer */
    HL_ANSWERS_LOGITS = 4000000, /* if E * T * C is at most this number, all logits are kept */
};

/* Nothing is owned. */
typedef struct hl_answers {
    int64_t n_tokens;       /* T */
    int64_t n_targets;      /* C: the size of the targets' vocabulary */
    const int32_t *targets; /* (E, T): the right answer, or HL_IGNORE if the position is not scored */
    const hl_real *logits;
    const int32_t *top_ids;
    const hl_real *top_logits, *target_logits, *log_sums;
} hl_answers;

typedef struct hl_answer {
    int32_t id;
    double probability;
} hl_answer;

/* Whether E examples have too many logits to keep all of them; also true if the number does not fit its type. */
bool hl_answers_are_sparse(int64_t n_examples, int64_t n_tokens, int64_t n_targets);

/* C of a model, also before the model is allocated. */
int64_t hl_answers_targets(const hl_model_config *config);

/* K. */
int64_t hl_answers_top(int64_t n_targets);

/* Writes the largest answers at position t of example e, with their probabilities, to `best`, in the order of top_ids.
 * Writes the first `most` answers, at most HL_ANSWERS_TOP. Returns how many there are; 0 if nothing is kept. */
int hl_answers_best(const hl_answers *answers, int64_t e, int64_t t, int most, hl_answer *best);

/* Writes the predictions (T) for example e; T may be any number from `length` on. At positions before `length` that
 * have a target, the prediction is the largest answer. At all others it is HL_IGNORE. */
void hl_answers_predict(const hl_answers *answers, int64_t e, int64_t length, int64_t T, int32_t *predictions);

/* hl_answer_of returns the id of the largest of n >= 1 logits, the first among equals. hl_top_ids writes the ids of the
 * k largest logits, k <= n, in the order of top_ids. */
int32_t hl_answer_of(const hl_real *logits, int64_t n);
void hl_top_ids(const hl_real *logits, int64_t n, int k, int32_t *ids);

/* log(sum_i exp(logits[i])) over n >= 1 logits; `largest` is the largest of them. */
double hl_log_sum_exp(const hl_real *logits, int64_t n, hl_real largest);

HL_END_DECLS
