/* What metrics know about a text's tokens and words. For toy tasks nothing is known, except perhaps the kinds. */
#pragma once

#include "core/base/declarations.h"
#include "core/examples.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The fields of hl_examples with the same names (core/examples.h), for examples (E, T) or for one example (T). Not
 * owned; each is NULL if it is not known. Forms are known only together with words. */
typedef struct hl_pattern_text {
    const unsigned char *kinds;
    const int32_t *words, *forms;
    const unsigned char *form_kinds;
    const int32_t *rarest;
} hl_pattern_text;

/* The text of example `row`. */
static inline hl_pattern_text hl_pattern_text_at(const hl_pattern_text *of, int64_t row, int64_t n_tokens)
{
    hl_pattern_text text;
    text.kinds = of->kinds;
    text.words = of->words != NULL ? of->words + row * n_tokens : NULL;
    text.forms = of->forms != NULL ? of->forms + row * n_tokens : NULL;
    text.form_kinds = of->form_kinds;
    text.rarest = of->rarest != NULL ? of->rarest + row : NULL;
    return text;
}

HL_END_DECLS
