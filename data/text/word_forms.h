/* The words in examples of text: how they are spelled, which are the same, and which are rare. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/examples.h"
#include "data/text/text_data.h"
#include "data/text/tokens.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Numbers the words of an example: words (T), -1 for special tokens. A mask is the exception: it counts as a word.
 * kinds: by id, from the tokens' vocabulary. */
void hl_word_forms_number(const unsigned char *kinds, const hl_text_example *example, int32_t *words);

/* All arrays are owned. */
typedef struct hl_word_forms {
    int64_t n_examples, n_tokens; /* E, T */
    int64_t n_forms;
    int32_t *forms;            /* (E, T), as in hl_examples: -1 if there is no word */
    unsigned char *form_kinds; /* (n_forms) */
    int32_t *rarest;           /* (E); all -1 until hl_word_forms_count */
    size_t *places;            /* (E, T): where the text of a word begins in `texts`, set at the word's first token */
    hl_text texts;             /* of all words, each with a zero byte */
    struct hl_text_set *set;   /* a set of forms, in which the numbers are their ids */
} hl_word_forms;

/* Finds the forms for examples with words and kinds. Other examples have no forms, and all functions below accept that.
 * A word's text is the decoded text of its tokens (data/text/tokens.h), including special tokens, without white space
 * around it. Words whose texts differ only in case have the same form. Form 0 is hidden (HL_TOKEN_UNKNOWN): it is for
 * words with a masked or unknown token, and for white space alone. A form without a letter or a digit is
 * HL_TOKEN_PUNCTUATION. HL_NO_MEMORY. After success, free it with hl_word_forms_free; on failure it is empty. */
hl_status hl_word_forms_make(const hl_examples *examples, const hl_tokens *tokens, hl_word_forms *forms);

/* Zeroed or already freed forms are allowed. */
void hl_word_forms_free(hl_word_forms *forms);

/* Makes the examples, which must be those of the forms, point to them. */
void hl_word_forms_tell(const hl_word_forms *forms, hl_examples *examples);

/* The text of the word that the token belongs to; "" if it belongs to none. */
const char *hl_word_forms_text(const hl_word_forms *forms, int64_t example, int64_t position);

enum { HL_WORD_FORMS_COUNTED = 1 << 26 };

/* Sets `rarest`: in each example, among the words whose form is not hidden, the word that occurs least often in the
 * training file, or the first of several. Counts the first HL_WORD_FORMS_COUNTED tokens in the file's cache, which
 * takes seconds for so many. HL_BAD_FILE (as hl_text_data_read), HL_NO_MEMORY; rarest is then unchanged. */
hl_status hl_word_forms_count(hl_word_forms *forms, const hl_text_data *data);

HL_END_DECLS
