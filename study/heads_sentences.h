/* Which heads are faithful to their labels, in sentences. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "study/study.h"

HL_BEGIN_DECLS

/* Adds a paragraph for each head that is faithful by itself, and for each group of heads that is faithful together: the
 * first six of each. If there is none, the text says why. It also says if the effects were measured with other weights
 * than those that made the patterns. `relations` as in hl_label_text_of. HL_NO_MEMORY is left on the text. */
void hl_heads_sentences_print(hl_text *text, const hl_heads_study *study, const char *const *relations);

HL_END_DECLS
