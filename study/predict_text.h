/* Text out of a model's answers: masks filled, a text continued. */
#ifndef HL_STUDY_PREDICT_TEXT_H
#define HL_STUDY_PREDICT_TEXT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "study/predictor.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Where the mask token stands among the pieces of the predictor's text: asked (text.n) in order, or NULL; returns how
 * many. */
int64_t hl_predict_masks(const hl_predictor *predictor, int32_t *asked);

/* Adds the line that the predictor has read, with a zero byte in the place of each mask. HL_NO_MEMORY is left on the
 * text. */
void hl_predict_blank(const hl_predictor *predictor, hl_span line, const int32_t *asked, int64_t n, hl_text *text);

/* Adds what hl_predict_blank made, with choices[i * most] in the place of mask i: a piece that continues a word goes to
 * the one before, and one that begins with a space takes no second one. HL_NO_MEMORY is left on the text. */
void hl_predict_fill(const hl_tokens *tokens, const hl_text *blank, const hl_choice *choices, int64_t most,
                     hl_text *text);

typedef struct hl_continuation {
    int64_t length;     /* pieces at most; it also ends where the model ends a document */
    double temperature; /* 0: always the most probable piece */
    int64_t top_k;      /* drawn from so many of the most probable ones; 0: from all */
    uint64_t seed;
} hl_continuation;

/* Is given text as it comes: whole characters of UTF-8, U+FFFD for bytes that are none. A failure that it returns ends
 * the continuation and is handed on. */
typedef hl_status hl_predict_tell(void *context, const char *bytes, size_t size);

/* Continues text `number`, of which the model sees as many of the last pieces as it takes; an empty one begins a
 * document, or a line. What is drawn is a function of the seed, the number and the text. *made: the pieces drawn.
 * HL_INVALID (as hl_tokens_encode; an empty text where tokens know neither documents nor lines), HL_NOT_FINITE,
 * HL_NO_MEMORY. */
hl_status hl_predict_continue(hl_predictor *predictor, hl_span text, int64_t number, const hl_continuation *how,
                              hl_predict_tell *tell, void *context, int64_t *made);

HL_END_DECLS

#endif
