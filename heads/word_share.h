/* How much a head attends to words of a kind, if tokens are pieces of words.
 *
 * A word consists of the tokens that have the same number in hl_examples.words. Special tokens belong to no word and
 * count neither as queries nor as keys. Word a attends to word b with the mean over a's pieces of the sum over b's
 * pieces. Attention to special tokens is dropped without renormalising. Word a may attend to word b if a's first piece
 * may attend to b's first piece. n_a is the number of words that word a may attend to: with a causal mask the words up
 * to itself, a + 1, else all. All scores are zero if words are not known.
 *
 * A baseline is the fraction of the n_a words that are of the kind. */
#pragma once

#include "core/base/declarations.h"
#include "heads/key_share.h"

HL_BEGIN_DECLS

/* The tokens begin .. end - 1 of one word. */
typedef struct hl_word_span {
    int64_t begin, end;
} hl_word_span;

/* Moves to the next word; from a zeroed span, to the first one. Returns false if there are no more. */
static inline bool hl_word_next(const hl_pattern *pattern, hl_word_span *word)
{
    const int32_t *words = pattern->text.words;
    int64_t at = word->end, n = words != NULL ? pattern->n : 0;
    while (at < n && words[at] < 0) {
        at++;
    }
    word->begin = word->end = at;
    while (word->end < n && words[word->end] == words[at]) {
        word->end++;
    }
    return at < n;
}

/* The weight that word `query` gives to word `key`. */
double hl_word_weight(const hl_pattern *pattern, hl_word_span query, hl_word_span key);

/* previous_word, next_word: the mean weight on the word before or after, over the words that may attend to it. */
hl_score hl_previous_word_of(const hl_patterns *patterns);
hl_score hl_next_word_of(const hl_patterns *patterns);

/* How often the word at offset k has the largest weight of all words, the first among equals. Counted over the words
 * that may attend to it; 0 if there are none. */
double hl_word_offset_hit_rate(const hl_patterns *patterns, int64_t k);

/* same_word: the mean weight on all other words with the query's form, over the words that may attend to one. A word
 * whose form is hidden (a mask, an unknown token) equals no other word. All zero if forms are not known. */
hl_score hl_same_word_of(const hl_patterns *patterns);

/* punctuation: the mean over all words of the weight on words without a letter or digit. All zero if forms are not
 * known. */
hl_score hl_punctuation_of(const hl_patterns *patterns);

/* rare: the mean weight on the example's rarest word, over the words that may attend to it. All zero if this word is
 * not known. */
hl_score hl_rare_of(const hl_patterns *patterns);

/* The kinds of keys that these metrics measure: tokens of such words. */
hl_key_kind hl_previous_word_kind, hl_next_word_kind, hl_same_word_kind, hl_punctuation_kind, hl_rare_kind;

HL_END_DECLS
