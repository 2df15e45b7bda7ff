/* What each part of a model writes into the residual stream, and what that adds to the right answer's logit.
 *
 * Before the last norm, the residual stream is a sum of writes: the embedding (with positions and its norm), what every
 * head writes, every attention's bias b_O, and every feed-forward network's output. A head writes o = z W_O, with W_O
 * (Dv, D) its rows of the output projection. A norm is linear once its scale is fixed at the value of the pass:
 *   y = gamma (x - mean(x)) / sigma + beta;
 * beta is then a write of its own. With post-norm this holds for every norm that follows. So the centred logit of the
 * right answer t, logit_t - the mean of all logits, is a sum with one term for each write: its direct contribution. The
 * output's bias, centred, is the last term. (Elhage et al. 2021; "direct logit attribution".)
 *
 * Where the answer is no linear function of the last hidden state (a pooler, or the transform of masked models), this
 * function is replaced by its Jacobian at the pass. The terms are then of first order and need not sum to the logit. */
#ifndef HL_HEADS_WRITES_H
#define HL_HEADS_WRITES_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/estimate.h"
#include "heads/score.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_writer_kind {
    HL_WRITER_EMBEDDING,
    HL_WRITER_HEAD,
    HL_WRITER_ATTENTION_BIAS,
    HL_WRITER_FEED_FORWARD,
    HL_WRITER_NORM_BIAS,
    HL_WRITER_OUTPUT_BIAS,
} hl_writer_kind;

typedef struct hl_writer {
    hl_writer_kind kind;
    int layer;          /* -1: of no layer */
    int64_t number;     /* of a head its number; of a norm's bias 1 or 2, and 0 for the encoder's last norm; else 0 */
    hl_estimate direct; /* the mean over examples of the example's mean over its scored positions */
} hl_writer;

/* Whether a head hands on the token that it looks at: the share of positions at which the token whose centred logit the
 * head's write raises most is the token at the key with the head's largest weight. */
typedef struct hl_copies {
    int64_t n;       /* positions that score, on odd-numbered examples; 0: not measured */
    double score;    /* the share, of these */
    double baseline; /* the share of them at which one and the same token stands at that key: the token for which this
                        is most frequent on even-numbered examples */
    bool earned;     /* its lift over the baseline is at least 0.5, and the 95% Wilson intervals of both are apart */
} hl_copies;

typedef struct hl_head_writes {
    int layer;
    int64_t head;
    hl_estimate norm; /* the mean over positions and examples of |o| / |x|, x the residual that o is added to */
    hl_copies copies;
} hl_head_writes;

typedef struct hl_writes {
    bool has_answers; /* whether the examples have scored positions and the model an output layer; else there are norms
                         and, of a model of tokens, copies alone */
    bool exact;       /* whether the terms sum to the logit; false: they are of first order */
    bool has_copies;
    int64_t n_examples; /* with a scored position */
    int64_t n_answers;  /* scored positions of these */
    hl_estimate logit;  /* the centred logit of the right answer */
    double largest_gap; /* exact: the largest of |sum of terms - centred logit| / sum of |terms| over all positions */
    hl_writer *writers; /* in the order of the pass; owned */
    int n_writers;
    hl_head_writes *heads; /* of all heads by layer and head; owned */
    int64_t n_heads;
} hl_writes;

typedef struct hl_writes_options {
    int64_t rows; /* of a pass at most; an example that is longer runs alone */
    int threads;
    uint64_t seed; /* draws the positions at which copies are measured, at most HL_COPIES_POSITIONS */
    bool without_copies;

    /* Called after each slice of examples, or NULL; what it fails with ends the measurement. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} hl_writes_options;

enum { HL_COPIES_POSITIONS = 1000 };

/* The most that largest_gap may be: more is an error. */
#define HL_WRITES_GAP 1e-4

/* Measures the model on the examples: `direct` and `norm` on the odd-numbered ones, which score (a single one does
 * both). Copies are measured where the logits are of the model's tokens, at scored positions, or where the examples
 * have none at ordinary tokens. HL_INVALID: a model that is not allocated, no example, T too long for the model, rows
 * below 1; HL_NOT_FINITE: terms that do not sum to the logit within HL_WRITES_GAP, naming the largest gap;
 * HL_NO_MEMORY. On success ended by hl_writes_free, else *writes is empty. */
hl_status hl_writes_measure(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                            hl_writes *writes);

void hl_writes_free(hl_writes *writes);

/* The bytes that hl_writes_measure takes; the model need not be allocated. HL_INVALID, HL_NO_MEMORY as above. */
hl_status hl_writes_bytes(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                          size_t *bytes);

/* "embedding", "L0H1", "L0 attention bias", "L0 feed-forward", "L0 norm1 bias", "last norm bias", "output bias". */
enum { HL_WRITER_NAME = 32 };
void hl_writer_name(const hl_writer *writer, char name[HL_WRITER_NAME]);

/* direct / the mean centred logit; NAN where that is within three standard errors of 0, or there are no answers. */
double hl_writes_share(const hl_writes *writes, const hl_writer *writer);

HL_END_DECLS

#endif
