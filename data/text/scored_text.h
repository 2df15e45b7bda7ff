/* How much text the pieces are that a loss was summed over: its bits per character and per word are divided by that.
 *
 * The text of pieces that follow each other is what hl_tokens_decode makes of them: of chars, bytes and bpe the text as
 * it stood; of words and wordpiece their words, as the normaliser left them, with one space between two of them, and
 * punctuation marks are words there; but without one beside a CJK character that the normaliser sets apart, since such
 * text has none. The unknown token is one character (of words and wordpiece, a word); other special tokens have no
 * character, and end a word. A character is a code point, and counts where its first byte is; a word is a longest
 * stretch without white space (\s of Unicode). */
#ifndef HL_DATA_TEXT_SCORED_TEXT_H
#define HL_DATA_TEXT_SCORED_TEXT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/text_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* A zeroed one holds no text. */
typedef struct hl_scored_text {
    int64_t characters, words;
    bool any, in_word; /* of the pieces that follow each other: there are some; the last one ends in a word */
    bool apart;        /* the last one is a CJK character that the normaliser sets apart */
    char cut[4];       /* the bytes so far of a character that goes on in the next piece */
    size_t n_cut;
} hl_scored_text;

/* Adds n pieces, which follow those that were added before. HL_INVALID for an id outside 0 .. V - 1, HL_NO_MEMORY. */
hl_status hl_scored_text_add(hl_scored_text *text, const hl_tokens *tokens, const int32_t *ids, size_t n);

/* The next pieces do not follow those before: a word that they begin with is another. */
void hl_scored_text_break(hl_scored_text *text);

/* What the targets of the first `count` examples of validation stand for, in the tasks next and masked, read for
 * `seed`. Of next they follow each other, from window to window. Of masked only those of one word do (hl_text_example),
 * so that `words` are the words that have some. HL_NO_MEMORY; HL_BAD_FILE as hl_text_data_read. */
hl_status hl_scored_text_of_validation(const hl_text_data *data, uint64_t seed, int64_t count, hl_scored_text *text);

HL_END_DECLS

#endif
