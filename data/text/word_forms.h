/* The words of examples of text: how they are written, which are the same, and which are rare. */
#ifndef HL_DATA_TEXT_WORD_FORMS_H
#define HL_DATA_TEXT_WORD_FORMS_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/examples.h"
#include "data/text/text_data.h"
#include "data/text/tokens.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Finds the words of an example that is no file's, with rows and n_targets where the data are of tags, as those of the
 * data are found: example->words, which becomes `begins` (T). */
void hl_word_forms_find(const hl_text_data *data, hl_text_example *example, int32_t *begins);

/* Numbers the words of an example: words (T), -1 for special tokens but masks, each of which is taken for a word.
 * kinds: by id, of the tokens' vocabulary. */
void hl_word_forms_number(const unsigned char *kinds, const hl_text_example *example, int32_t *words);

/* All arrays are owned. */
typedef struct hl_word_forms {
    int64_t n_examples, n_tokens; /* E, T */
    int64_t n_forms;
    int32_t *forms;            /* (E, T), as in hl_examples: -1 where there is no word */
    unsigned char *form_kinds; /* (n_forms) */
    int32_t *rarest;           /* (E); all -1 until hl_word_forms_count */
    size_t *places;            /* (E, T): where the text of a word begins in `texts`, at its first token */
    hl_text texts;             /* of all words, each ended by a zero byte */
    struct hl_text_set *set;   /* of forms, whose numbers are their ids */
} hl_word_forms;

/* Finds the forms of examples with words and kinds; of others there are none, which all that follows takes. A word's
 * text is what its tokens decode to (data/text/tokens.h), special tokens included, without white space around it. Words
 * whose texts differ in case alone have one form. Form 0 is that of words with a masked or unknown token, and of white
 * space alone, whose form is hidden: HL_TOKEN_UNKNOWN. A form without a letter or a digit is HL_TOKEN_PUNCTUATION.
 * HL_NO_MEMORY. On success ended by hl_word_forms_free; else empty. */
hl_status hl_word_forms_make(const hl_examples *examples, const hl_tokens *tokens, hl_word_forms *forms);

/* A zeroed or already freed one is allowed. */
void hl_word_forms_free(hl_word_forms *forms);

/* Makes the examples, which must be those of the forms, point to them. */
void hl_word_forms_tell(const hl_word_forms *forms, hl_examples *examples);

/* The text of the word that the token belongs to; "" where it belongs to none. */
const char *hl_word_forms_text(const hl_word_forms *forms, int64_t example, int64_t position);

enum { HL_WORD_FORMS_COUNTED = 1 << 26 };

/* Sets `rarest`: in each example, of the words whose form is not hidden, the one that the training file holds least
 * often, the first of equals. Counts the first HL_WORD_FORMS_COUNTED tokens of the file's cache, which takes seconds
 * where they are so many. HL_BAD_FILE (as hl_text_data_read), HL_NO_MEMORY; rarest is then unchanged. */
hl_status hl_word_forms_count(hl_word_forms *forms, const hl_text_data *data);

HL_END_DECLS

#endif
