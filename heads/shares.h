/* Metrics that measure how much of a query's attention falls on keys of a kind, such as the other occurrences of its
 * token, and the labels that follow from them. A perfect head reaches 1. The baseline is the mean of the fraction of
 * the n_i keys that are of the kind.
 *
 * Metrics of words are for text whose tokens are pieces of words (heads/word_join.h): their queries and keys are words,
 * and special tokens count as neither. Word a attends to word b with the mean over a's pieces of the sum over b's
 * pieces. It may attend to b if a's first piece may attend to b's first piece. n_a is the number of words that it may
 * attend to: with a causal mask the words up to itself, a + 1, else all.
 *
 * Of the other scores, only those of special tokens and of the first token count special tokens. What is not known
 * (tokens, words, their forms) gives scores that are all zero. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

/* Whether `key` is of the kind for `query`; called only for keys 0 .. n_i - 1. Of words: their first pieces. */
typedef bool hl_key_kind(const hl_pattern *pattern, int64_t query, int64_t key);

/* clang-format off */
/* One line for each metric: constant, name, the function that measures it on the scoring examples, and its meaning
 * (heads/words.h). heads.csv, the tables, the page and the tests use this list. */
#define HL_METRIC_SHARES(SHARE) \
    SHARE(HL_METRIC_SPECIAL, "special", hl_special_of, "attention to separators and masks") \
    SHARE(HL_METRIC_FIRST, "first", hl_first_of, "attention to the first token") \
    SHARE(HL_METRIC_DUPLICATE, "duplicate", hl_duplicate_of, "attention to the same token elsewhere") \
    SHARE(HL_METRIC_DUPLICATE_PAST, "duplicate.past", hl_duplicate_past_of, "attention to the same token earlier") \
    SHARE(HL_METRIC_DUPLICATE_FUTURE, "duplicate.future", hl_duplicate_future_of, \
          "attention to the same token later") \
    SHARE(HL_METRIC_INDUCTION, "induction", hl_induction_of, \
          "attention to the token that followed the same token earlier") \
    SHARE(HL_METRIC_INDUCTION_MIRRORED, "induction.mirrored", hl_induction_mirrored_of, \
          "attention to the token that precedes the same token later") \
    SHARE(HL_METRIC_PREVIOUS_WORD, "previous_word", hl_previous_word_of, "text only: attention to the previous word") \
    SHARE(HL_METRIC_NEXT_WORD, "next_word", hl_next_word_of, "text only: attention to the next word") \
    SHARE(HL_METRIC_SAME_WORD, "same_word", hl_same_word_of, "text only: attention to the same word elsewhere") \
    SHARE(HL_METRIC_PUNCTUATION, "punctuation", hl_punctuation_of, \
          "text only: attention to words without a letter or digit") \
    SHARE(HL_METRIC_RARE, "rare", hl_rare_of, "text only: attention to the rarest word of the sentence")

/* The labels: constant, name, meaning. The label's metric is hl_<name>_of; its keys are those of hl_<name>_kind. On toy
 * tasks, the labels before HL_LABEL_PREVIOUS_WORD are tried, in this order. On text, heads/label.c (of_text) lists all
 * labels that are tried, in their order. */
#define HL_LABEL_SHARES(SHARE) \
    SHARE(HL_LABEL_INDUCTION, induction, "looks at what came after the same token elsewhere") \
    SHARE(HL_LABEL_DUPLICATE, duplicate, "looks at the same token elsewhere") \
    SHARE(HL_LABEL_FIRST, first, "looks at the first token") \
    SHARE(HL_LABEL_SPECIAL, special, "looks at separators and masks (in text: separators only)") \
    SHARE(HL_LABEL_PREVIOUS_WORD, previous_word, "looks at the previous word") \
    SHARE(HL_LABEL_NEXT_WORD, next_word, "looks at the next word") \
    SHARE(HL_LABEL_SAME_WORD, same_word, "looks at the same word elsewhere") \
    SHARE(HL_LABEL_PUNCTUATION, punctuation, "looks at punctuation") \
    SHARE(HL_LABEL_RARE, rare, "looks at the rarest word of the sentence")
/* clang-format on */

/* special: the mean over all queries of the weight on separator and mask tokens; in text, separators such as [SEP]
 * only. A separator at position 0 that stands before the text does not count (<|endoftext|> is both); `first` measures
 * it. */
hl_score hl_special_of(const hl_patterns *patterns);

/* first: the mean over all queries of the weight on position 0, in models with a token such as [CLS] there. */
hl_score hl_first_of(const hl_patterns *patterns);

/* duplicate: the weight on the other occurrences of the query's own token, x_j = x_i, j != i; `past` only the earlier
 * ones, `future` only the later ones. The mean is over the queries that may attend to at least one; special tokens
 * count neither as queries nor as keys. */
hl_score hl_duplicate_of(const hl_patterns *patterns);
hl_score hl_duplicate_past_of(const hl_patterns *patterns);
hl_score hl_duplicate_future_of(const hl_patterns *patterns);

/* induction: the same for the tokens right after earlier occurrences of the query's own token: x_{j-1} = x_i with j - 1
 * < i (Olsson et al. 2022, "In-context Learning and Induction Heads"). If a token follows itself, the second one is
 * such a key. Its mirror image: the tokens right before later occurrences, x_{j+1} = x_i with j + 1 > i. */
hl_score hl_induction_of(const hl_patterns *patterns);
hl_score hl_induction_mirrored_of(const hl_patterns *patterns);

/* Of words. previous_word, next_word: the mean weight on the word before or after, over the words that may attend to
 * it. same_word: on all other words with the query's form, over the words that may attend to one; a word whose form is
 * hidden (a mask, an unknown token) equals no other word. punctuation: the mean over all words of the weight on words
 * without a letter or digit. rare: on the example's rarest word, over the words that may attend to it. */
hl_score hl_previous_word_of(const hl_patterns *patterns);
hl_score hl_next_word_of(const hl_patterns *patterns);
hl_score hl_same_word_of(const hl_patterns *patterns);
hl_score hl_punctuation_of(const hl_patterns *patterns);
hl_score hl_rare_of(const hl_patterns *patterns);

/* How often the word at offset k has the largest weight of all words, the first among equals. Counted over the words
 * that may attend to it; 0 if there are none. */
double hl_word_offset_hit_rate(const hl_patterns *patterns, int64_t k);

/* The keys of the metrics of these names. */
hl_key_kind hl_special_kind, hl_first_kind, hl_duplicate_kind, hl_induction_kind, hl_previous_word_kind,
    hl_next_word_kind, hl_same_word_kind, hl_punctuation_kind, hl_rare_kind;

HL_END_DECLS
