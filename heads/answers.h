/* What a model answers on the examples of a snapshot: all logits where there are few; else, of each position that is
 * answered, the largest ones, the target's, and the log of the sum of exp of all of them, by which probabilities are
 * exact. One interface for both.
 *
 *     logits (E, T, C)        all of them, or NULL:
 *     top_ids (E, T, K)       the K = min(8, C) largest logits' ids, the largest first, the lowest id first of equals;
 *                             -1 at positions that are not answered
 *     top_logits (E, T, K), target_logits (E, T), log_sums (E, T)   0 where nothing is answered, or nothing is asked */
#ifndef HL_HEADS_ANSWERS_H
#define HL_HEADS_ANSWERS_H

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/examples.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_ANSWERS_TOP = 8,          /* so many of a position's logits are kept, or all where there are fewer */
    HL_ANSWERS_LOGITS = 4000000, /* up to so many logits, E * T * C, are all kept */
};

/* Nothing is owned. */
typedef struct hl_answers {
    int64_t n_tokens;       /* T */
    int64_t n_targets;      /* C, of the targets' vocabulary */
    const int32_t *targets; /* (E, T): the right answer, or HL_IGNORE where none is scored */
    const hl_real *logits;
    const int32_t *top_ids;
    const hl_real *top_logits, *target_logits, *log_sums;
} hl_answers;

typedef struct hl_answer {
    int32_t id;
    double probability;
} hl_answer;

/* Whether the logits of E examples are too many to be all kept; also where the number does not fit. */
bool hl_answers_are_sparse(int64_t n_examples, int64_t n_tokens, int64_t n_targets);

/* C of a model, also of one that is not made yet. */
int64_t hl_answers_targets(const hl_model_config *config);

/* K. */
int64_t hl_answers_top(int64_t n_targets);

/* The largest answers at position t of example e, in the order of top_ids, and their probabilities: the first `most` of
 * them, at most HL_ANSWERS_TOP, at `best`; returns how many there are, 0 where nothing is kept. */
int hl_answers_best(const hl_answers *answers, int64_t e, int64_t t, int most, hl_answer *best);

/* Writes predictions (T), of any T from `length` on, of example e: the largest answer at the positions before `length`
 * that have a target, HL_IGNORE at all others. */
void hl_answers_predict(const hl_answers *answers, int64_t e, int64_t length, int64_t T, int32_t *predictions);

/* The id of the largest of n >= 1 logits, the first of equals; and of the k largest, k <= n, in the order of top_ids.
 * */
int32_t hl_answer_of(const hl_real *logits, int64_t n);
void hl_top_ids(const hl_real *logits, int64_t n, int k, int32_t *ids);

/* log(sum_i exp(logits[i])), of n >= 1 logits, of which `largest` is the largest. */
double hl_log_sum_exp(const hl_real *logits, int64_t n, hl_real largest);

HL_END_DECLS

#endif
