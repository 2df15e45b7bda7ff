/* A trained model that answers for texts, many in one pass, whatever their length.
 *
 *     hl_status status = hl_predictor_open(&spec, &predictor);
 *     for (each line) {
 *         HL_THEN(status, hl_predictor_read(&predictor, line, (hl_span){ 0 }, true));
 *         HL_THEN(status, hl_predictor_best(&predictor, asked, n, 5, choices)); // a question
 *     }
 *     HL_THEN(status, hl_predictor_finish(&predictor)); // all answers are there now
 *     hl_predictor_close(&predictor);
 *
 * Questions gather in a batch, which is run when the next one does not fit, or by hl_predictor_finish. They are
 * answered in the order in which they were asked; where an answer goes to must stand until then.
 *
 * A text is read whole where the model takes it. A longer one is cut, or with a stride read in windows: each begins
 * `stride` pieces after the one before, the last ends with the text, and around each stand the tokens' special tokens.
 * A piece is then answered for out of the window in which it has the most context: of a causal model the first that
 * holds it; else the one whose nearer end is farthest away, of equals the first. An answer is a function of the text
 * alone, not of threads; what else is in its batch may change its last bits, as matrix products of other shapes round
 * differently. The same questions in the same order have the same bits. */
#ifndef HL_STUDY_PREDICTOR_H
#define HL_STUDY_PREDICTOR_H

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
    const hl_model *model;   /* with its weights */
    const hl_tokens *tokens; /* that its ids are of */
    bool wraps;              /* whether the tokens' special tokens stand around a text, as [CLS] A [SEP] */
    bool rows;               /* whether the last layer's rows are asked for (hl_predictor_vector), and not logits */
    hl_pretrained_problem problem; /* what a classifier's outputs mean */
    bool of_first;                 /* a text's vector is its first row, and not the mean of all */
    bool normalised;               /* it is divided by its length */
    int64_t length; /* pieces of a window at most, special tokens included; 0: as many as the model takes */
    int64_t stride; /* pieces; 0: a text that is too long is cut */
    int threads;
} hl_predictor_spec;

/* Owned: hl_predictor_close. */
typedef struct hl_predictor {
    hl_predictor_spec spec; /* with the length of a window */
    hl_pieces text;         /* the text's pieces, without what stands around them */
    size_t n_first;         /* those of the first text of a pair; of one text all */
    int64_t uncut; /* how many there were before the text was cut; of one text the others still stand behind it */
    int64_t width; /* C, the targets that the model chooses from; with spec.rows D */
    int64_t asked, answered; /* questions so far; those of them that have been answered */

    /* its own */
    hl_pieces window;                    /* what the model reads */
    int32_t *tokens, *targets, *types;   /* as long as that may be; targets: 0 where a row is asked */
    struct hl_predictor_window *windows; /* of the batch, n_windows so far */
    int64_t n_windows, most_targets;     /* most_targets: rows of the batch that are asked for */
    double *sum;                         /* (width), of the windows of a text so far */
    int64_t n_summed;                    /* in it */
    hl_real *numbers;                    /* (width) */
    hl_batch_storage storage;
    hl_tape_plan plan;
    hl_arena arena;
    hl_status status; /* of the last batch's answers */
} hl_predictor;

/* Is given the logits (C) of answer `i` of those that a question asked for, or a text's vector (D). */
typedef void hl_predictor_take(void *context, int64_t i, const hl_real *numbers);

/* Takes the memory for any text. HL_INVALID: a model without an output layer (unless spec.rows), other tokens than the
 * model's, no piece besides the special tokens, or no window so short. HL_NO_MEMORY. Close it whatever this returns. */
hl_status hl_predictor_open(const hl_predictor_spec *spec, hl_predictor *predictor);
void hl_predictor_close(hl_predictor *predictor);

/* How many pieces the model takes at once, special tokens not counted: of one text, or of a pair. */
int64_t hl_predictor_room(const hl_predictor *predictor, bool pair);

/* Reads a text, or where `second` has one a pair; `specials` as in hl_tokens_encode. Without a stride, and of a pair
 * always, a text that is too long is cut: from its end, of a pair the longer one. As hl_tokens_encode fails; the text
 * is then empty. */
hl_status hl_predictor_read(hl_predictor *predictor, hl_span text, hl_span second, bool specials);

/* Reads a sentence that is given word by word; firsts (n): the piece that each word begins with, -1 where it was cut
 * off. As hl_tokens_encode_word fails. */
hl_status hl_predictor_read_words(hl_predictor *predictor, const hl_span *words, int64_t n, int32_t *firsts);

/* Asks for the logits of the pieces asked[0] < asked[1] < ... of the text; -1 at the end stands for pieces that were
 * cut off, which are passed over. `asked` may change afterwards. HL_NOT_FINITE, HL_NO_MEMORY: of a batch that was run.
 * After such a failure the predictor may only be closed. */
hl_status hl_predictor_logits(hl_predictor *predictor, const int32_t *asked, int64_t n, hl_predictor_take *take,
                              void *context);

/* Asks for the `most` best answers at each, choices (n, most); those that there are not get the id -1. Fails likewise.
 */
hl_status hl_predictor_best(hl_predictor *predictor, const int32_t *asked, int64_t n, int64_t most, hl_choice *choices);

/* Asks for logits (C) of the classes of the whole text: of a choice ln of the mean of its windows' probabilities, of
 * labels and numbers the mean of its windows' outputs. Fails likewise, and with HL_INVALID of a text without a row. */
hl_status hl_predictor_classify(hl_predictor *predictor, hl_predictor_take *take, void *context);

/* Asks for the text's vector (D): the mean of the last layer's rows, each out of the window where it has the most
 * context, those of special tokens out of the first; or the first row (spec.of_first). Zeros of a text without a row.
 * With spec.rows alone. Fails likewise. */
hl_status hl_predictor_vector(hl_predictor *predictor, hl_predictor_take *take, void *context);

/* Answers all that has been asked. Fails likewise. */
hl_status hl_predictor_finish(hl_predictor *predictor);

HL_END_DECLS

#endif
