/* What each part of a model writes into the residual stream, and what that adds to the right answer's logit.
 *
 * Before the last norm, the residual stream is a sum of writes. They are the embedding (with positions and its norm),
 * what every head writes, every attention's bias b_O, and every feed-forward network's output. A head writes o = z W_O;
 * W_O (Dv, D) holds the head's rows of the output projection. A norm is linear once its scale is fixed at its value in
 * the pass:
 *   y = gamma (x - mean(x)) / sigma + beta;
 * beta is then a write of its own. With post-norm this holds for every norm that follows. The centred logit of the
 * right answer t is logit_t - the mean of all logits. So it is a sum with one term for each write, the write's direct
 * contribution. The output's bias, centred, is the last term. (Elhage et al. 2021; "direct logit attribution".)
 *
 * If the answer is not a linear function of the last hidden state (a pooler, or the transform of masked models), this
 * function is replaced by its Jacobian at the pass. The terms are then of first order and need not sum to the logit. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/score.h"
#include "heads/writer.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Whether a head copies the token that it looks at. The head's write raises one token's centred logit most. The score
 * is the share of positions at which this token is also the one at the key with the head's largest weight. */
typedef struct hl_copies {
    int64_t n;       /* the number of scoring positions, on odd-numbered examples; 0: not measured */
    double score;    /* the share of these positions */
    double baseline; /* the share of these positions that have one fixed token at that key: the token that is most
                        frequent there on even-numbered examples */
    bool earned;     /* the lift over the baseline is at least 0.5, and the 95% Wilson intervals of both do not
                        overlap */
} hl_copies;

typedef struct hl_head_writes {
    int layer;
    int64_t head;
    hl_estimate norm; /* the mean over positions and examples of |o| / |x|; x is the residual to which o is added */
    hl_copies copies;
} hl_head_writes;

/* One answer, of which the terms are kept. */
typedef struct hl_written_answer {
    int64_t example, position; /* of its target */
    int32_t id;                /* the right answer */
    double logit;              /* its centred logit */
} hl_written_answer;

typedef struct hl_writes {
    bool has_answers; /* whether the examples have scored positions and the model an output layer; else there are only
                         norms and, for a model of tokens, copies */
    bool exact;       /* whether the terms sum to the logit; false: they are of first order, or the model multiplies in
                         bf16, whose rounding no term has */
    bool has_copies;
    int64_t n_examples; /* examples with a scored position */
    int64_t n_answers;  /* scored positions in these examples */
    hl_estimate logit;  /* the centred logit of the right answer */
    double largest_gap; /* if exact: the largest of |sum of terms - centred logit| / sum of |terms| over all
                           positions */
    hl_writer *writers; /* in the order of the pass */
    int n_writers;
    hl_head_writes *heads; /* of all heads, by layer and head */
    int64_t n_heads;

    /* If keep_terms is set: every answer, by example and position, and its terms in the order of the writers. */
    hl_written_answer *answers; /* (n_kept) */
    double *terms;              /* (n_kept, n_writers) */
    int64_t n_kept;
    void *memory; /* owned: the memory block of all arrays */
} hl_writes;

typedef struct hl_writes_options {
    int64_t rows; /* the most rows of a pass; a longer example runs alone */
    int threads;
    uint64_t seed; /* seeds the draw of the positions at which copies are measured, at most HL_COPIES_POSITIONS */
    bool without_copies;
    bool keep_terms; /* keep the terms of every answer, on all examples */

    /* Called after each slice of examples; may be NULL. Its failure ends the measurement. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} hl_writes_options;

enum { HL_COPIES_POSITIONS = 1000 };

/* The largest value allowed for largest_gap; a larger one is an error. */
#define HL_WRITES_GAP 1e-4

/* Measures the model on the examples: `direct` and `norm` on the odd-numbered ones, which score; a single example does
 * both. Copies are measured if the logits are those of the model's tokens: at scored positions or, if the examples have
 * none, at ordinary tokens. HL_INVALID (the model is not allocated, no example, T too long for the model, rows below
 * 1); HL_NOT_FINITE, naming the largest gap, if the terms do not sum to the logit within HL_WRITES_GAP; HL_NO_MEMORY.
 * On success free with hl_writes_free. On failure *writes is empty. */
hl_status hl_writes_measure(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                            hl_writes *writes);

void hl_writes_free(hl_writes *writes);

/* The bytes that hl_writes_measure needs. The model need not be allocated. HL_INVALID, HL_NO_MEMORY as above. */
hl_status hl_writes_bytes(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                          size_t *bytes);

/* direct / the mean centred logit; NAN if the latter is within three standard errors of 0, or there are no answers. */
double hl_writes_share(const hl_writes *writes, const hl_writer *writer);

HL_END_DECLS
