/* The words of the task `agreement`: their tokens, and which word forms agree. Private to this folder. */
#pragma once

#include "data/vocabulary.h"

#include <stdint.h>

enum {
    HL_AGREEMENT_NOUNS = 16,
    HL_AGREEMENT_CHOICES = 3, /* per class of words without agreement */
};

/* Tokens: single words, and the first word of each class. The order is: determiners, by number; adjectives, by kind;
 * possessive pronouns, by person; words that agree with nothing; nouns; verbs. Among nouns and verbs, each singular is
 * followed by its plural. */
enum {
    HL_WORD_DETERMINER = HL_SPECIAL_TOKENS,
    HL_WORD_ADJECTIVE = HL_WORD_DETERMINER + 2,
    HL_WORD_POSSESSIVE = HL_WORD_ADJECTIVE + 4,
    HL_WORD_DEGREE = HL_WORD_POSSESSIVE + 4,
    HL_WORD_EPITHET = HL_WORD_DEGREE + HL_AGREEMENT_CHOICES,
    HL_WORD_PREPOSITION = HL_WORD_EPITHET + HL_AGREEMENT_CHOICES,
    HL_WORD_MANNER = HL_WORD_PREPOSITION + HL_AGREEMENT_CHOICES,
    HL_WORD_PLACE = HL_WORD_MANNER + HL_AGREEMENT_CHOICES,
    HL_WORD_IN = HL_WORD_PLACE + HL_AGREEMENT_CHOICES,
    HL_WORD_THAT,
    HL_WORD_AT,
    HL_WORD_COMMA,
    HL_WORD_WHILE,
    HL_WORD_NOUN,
    HL_WORD_VERB = HL_WORD_NOUN + 2 * HL_AGREEMENT_NOUNS,
    HL_WORD_END = HL_WORD_VERB + 2 * HL_AGREEMENT_NOUNS,
};

/* The tokens of words that agree with a noun. A noun's form is 2 * noun, or 2 * noun + 1 for its plural. */
int32_t hl_agreement_determiner(int form);
int32_t hl_agreement_adjective(int form);
int32_t hl_agreement_possessive(int form);

/* Adds all of these words to the text, each on its own line, in the order of their tokens. */
void hl_agreement_add_words(hl_text *text);
