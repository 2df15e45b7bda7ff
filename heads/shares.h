/* Metrics that measure how much attention falls on keys of a kind (heads/key_share.h), and the labels that follow from
 * them; each has one row. heads.csv, the tables, the page and the tests use these lists. */
#pragma once

#include "heads/duplicate.h"
#include "heads/induction.h"
#include "heads/special.h"
#include "heads/word_share.h"

/* clang-format off */
/* The metrics: constant, name, the function that measures it on the scoring examples, and its meaning
 * (heads/words.h). */
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
