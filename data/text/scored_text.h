/* How much text the pieces stand for over which a loss was summed. Bits per character and per word divide by it.
 *
 * The text of consecutive pieces is the result of hl_tokens_decode. For chars, bytes and bpe it is the original text.
 * For words and wordpiece it consists of their words, as the normaliser left them, with one space between words. There,
 * punctuation marks are words. No space is added beside a CJK character that the normaliser sets apart, because such
 * text has none. The unknown token counts as one character (for words and wordpiece, as a word). Other special tokens
 * have no character, and end a word. A character is a code point, and counts where its first byte is. A word is a
 * maximal sequence without white space (\s of Unicode). */
#pragma once

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
    bool any, in_word; /* in the consecutive pieces: there are some; the last one ends in a word */
    bool apart;        /* the last one is a CJK character that the normaliser sets apart */
    char cut[4];       /* the bytes so far of a character that continues in the next piece */
    size_t n_cut;
} hl_scored_text;

/* Adds n pieces that follow the pieces added before. HL_INVALID for an id outside 0 .. V - 1, HL_NO_MEMORY. */
hl_status hl_scored_text_add(hl_scored_text *text, const hl_tokens *tokens, const int32_t *ids, size_t n);

/* The next pieces do not follow the previous ones: if they begin with a word, it is a new word. */
void hl_scored_text_break(hl_scored_text *text);

/* The text of the targets in the first `count` validation examples of the tasks next and masked, read for `seed`. In
 * next, the targets follow each other, from window to window. In masked, only targets in the same word do
 * (hl_text_example), so that `words` counts the words with a target. HL_NO_MEMORY; HL_BAD_FILE as hl_text_data_read. */
hl_status hl_scored_text_of_validation(const hl_text_data *data, uint64_t seed, int64_t count, hl_scored_text *text);

HL_END_DECLS
