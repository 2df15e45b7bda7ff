/* Text made from a model's answers: masks are filled, and texts are continued. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "study/predictor.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Writes the positions of the mask token among the pieces of the predictor's text to `asked` (text.n), in order.
 * `asked` may be NULL. Returns their number. */
int64_t hl_predict_masks(const hl_predictor *predictor, int32_t *asked);

/* Adds the line that the predictor has read, with a zero byte instead of each mask. HL_NO_MEMORY is left on the
 * text. */
void hl_predict_blank(const hl_predictor *predictor, hl_span line, const int32_t *asked, int64_t n, hl_text *text);

/* Adds the text of hl_predict_blank with choices[i * most] instead of mask i. A piece that continues a word is joined
 * to the piece before it. A piece that begins with a space gets no second space. HL_NO_MEMORY is left on the text. */
void hl_predict_fill(const hl_tokens *tokens, const hl_text *blank, const hl_choice *choices, int64_t most,
                     hl_text *text);

typedef struct hl_continuation {
    int64_t length;     /* the most pieces; the text also ends if the model ends the document */
    double temperature; /* 0: always the most probable piece */
    int64_t top_k;      /* draw only from so many most probable pieces; 0: from all */
    uint64_t seed;
} hl_continuation;

/* Receives the text as it is made: whole UTF-8 characters, with U+FFFD for invalid bytes. Its failure ends the
 * continuation and is returned. */
typedef hl_status hl_predict_tell(void *context, const char *bytes, size_t size);

/* Continues text `number`. The model sees as many of its last pieces as it can read. An empty text begins a document or
 * a line. The drawn pieces depend only on the seed, the number and the text. *made: the number of drawn pieces.
 * HL_INVALID (as hl_tokens_encode; an empty text where tokens know neither documents nor lines), HL_NOT_FINITE,
 * HL_NO_MEMORY. */
hl_status hl_predict_continue(hl_predictor *predictor, hl_span text, int64_t number, const hl_continuation *how,
                              hl_predict_tell *tell, void *context, int64_t *made);

HL_END_DECLS
