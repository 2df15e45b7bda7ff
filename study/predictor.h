/* A trained model that answers for texts of any length, many in one pass.
 *
 *     hl_status status = hl_predictor_open(&spec, &predictor);
 *     for (each line) {
 *         HL_THEN(status, hl_predictor_read(&predictor, line, (hl_span){ 0 }, true));
 *         HL_THEN(status, hl_predictor_best(&predictor, asked, n, 5, choices)); // a question
 *     }
 *     HL_THEN(status, hl_predictor_finish(&predictor)); // all answers are there now
 *     hl_predictor_close(&predictor);
 *
 * Questions are collected in a batch. The batch runs when the next question does not fit, or in hl_predictor_finish.
 * Questions are answered in the order in which they were asked. The memory for an answer must stand until then.
 *
 * A text that fits is read whole. A longer text is cut or, with a stride, read in windows. Each window begins `stride`
 * pieces after the one before, and the last one ends with the text. The tokens' special tokens are added around each. A
 * piece is answered from the window in which it has the most context. For a causal model, this is the first window that
 * holds it; for others, the one whose nearer end is farthest away (of equals, the first). An answer depends only on the
 * text, not on threads. Other texts in its batch may change its last bits, because matrix products of other shapes
 * round differently. The same questions in the same order have the same bits. */
#pragma once

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/batch_storage.h"
#include "data/text/lines.h"
#include "data/text/tokens.h"
#include "layers/model.h"
#include "pretrained/classifier.h"
#include "study/choices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Nothing is owned. */
typedef struct hl_predictor_spec {
    const hl_model *model;         /* with its weights */
    const hl_tokens *tokens;       /* the model's tokens */
    bool wraps;                    /* add the tokens' special tokens around a text, as in [CLS] A [SEP] */
    bool rows;                     /* answer with the last layer's rows (hl_predictor_vector) instead of logits */
    hl_pretrained_problem problem; /* what a classifier's outputs mean */
    bool of_first;                 /* a text's vector is its first row instead of the mean of all rows */
    bool normalised;               /* divide a vector by its length */
    int64_t length; /* the most pieces of a window, including special tokens; 0: as many as the model reads */
    int64_t stride; /* in pieces; 0: a text that is too long is cut */
    int threads;
} hl_predictor_spec;

/* Owned by the caller, who frees it with hl_predictor_close. */
typedef struct hl_predictor {
    hl_predictor_spec spec; /* with the length of a window */
    hl_pieces text;         /* the text's pieces, without special tokens */
    size_t n_first;         /* the number of pieces of a pair's first text; for one text, of all */
    int64_t uncut; /* the number of pieces before the text was cut; for one text, the others still follow in `text` */
    int64_t width; /* C, the number of targets that the model chooses from; with spec.rows D */
    int64_t asked, answered; /* the number of questions so far, and of those that are answered */

    /* Private. */
    hl_pieces window;                    /* what the model reads */
    int32_t *tokens, *targets, *types;   /* for the longest window; targets: 0 if a row is asked for */
    struct hl_predictor_window *windows; /* (n_windows): those in the batch so far */
    int64_t n_windows, most_targets;     /* most_targets: rows of the batch that are asked for */
    double *sum;                         /* (width): the sum over a text's windows so far */
    int64_t n_summed;                    /* the number of windows in it */
    hl_real *numbers;                    /* (width) */
    hl_batch_storage storage;
    hl_tape_plan plan;
    hl_arena arena;
} hl_predictor;

/* Receives the logits (C) of a question's answer number `i`, or a text's vector (D). */
typedef void hl_predictor_take(void *context, int64_t i, const hl_real *numbers);

/* Allocates the memory for any text. HL_INVALID: a model without an output layer (unless spec.rows), other tokens than
 * the model's, or a window without room for a piece besides the special tokens. HL_NO_MEMORY. Must be closed on failure
 * too. */
hl_status hl_predictor_open(const hl_predictor_spec *spec, hl_predictor *predictor);
void hl_predictor_close(hl_predictor *predictor);

/* How many pieces the model reads at once, without special tokens, of one text or of a pair. */
int64_t hl_predictor_room(const hl_predictor *predictor, bool pair);

/* Reads a text, or a pair if `second` holds a text. `specials` as in hl_tokens_encode. Without a stride, a text that is
 * too long is cut at its end. In a pair, the longer text is always cut. Fails as hl_tokens_encode; the text is then
 * empty. */
hl_status hl_predictor_read(hl_predictor *predictor, hl_span text, hl_span second, bool specials);

/* Reads a sentence of n words. firsts (n): each word's first piece; -1 if cut off. Fails as hl_tokens_encode_word. */
hl_status hl_predictor_read_words(hl_predictor *predictor, const hl_span *words, int64_t n, int32_t *firsts);

/* Asks for the logits of the pieces asked[0] < asked[1] < ... of the text. Values of -1 at the end stand for pieces
 * that were cut off; they are skipped. `asked` may change afterwards. HL_NOT_FINITE, HL_NO_MEMORY, from a batch that
 * was run. After such a failure, the predictor may only be closed. */
hl_status hl_predictor_logits(hl_predictor *predictor, const int32_t *asked, int64_t n, hl_predictor_take *take,
                              void *context);

/* Asks for the `most` best answers at each piece: choices (n, most); missing ones get the id -1. Fails likewise. */
hl_status hl_predictor_best(hl_predictor *predictor, const int32_t *asked, int64_t n, int64_t most, hl_choice *choices);

/* Asks for the logits (C) of the whole text's classes. If one class is chosen, they are ln of the mean of the windows'
 * probabilities. For several labels and for numbers, they are the mean of the windows' outputs. Fails likewise, and
 * with HL_INVALID if the text has no row. */
hl_status hl_predictor_classify(hl_predictor *predictor, hl_predictor_take *take, void *context);

/* Asks for the text's vector (D). It is the first row (spec.of_first), or the mean of the last layer's rows, each from
 * the window in which it has the most context (for special tokens, the first window). It is zero for a text without a
 * row. Requires spec.rows. Fails likewise. */
hl_status hl_predictor_vector(hl_predictor *predictor, hl_predictor_take *take, void *context);

/* Answers all remaining questions. Fails likewise. */
hl_status hl_predictor_finish(hl_predictor *predictor);

HL_END_DECLS
