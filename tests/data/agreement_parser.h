/* Reads a sentence of the task agreement word by word, by a grammar and a lexicon of its own, and finds which words
 * belong together. */
#pragma once

#include <stdint.h>

enum { PARSER_RELATIONS = 8, PARSER_MOST = 2048 };

/* In the order of the task's relations. */
extern const char *const parser_relations[PARSER_RELATIONS];

typedef struct parser {
    const char *words[PARSER_MOST]; /* set by the caller, none of them masked */
    int n;
    int at;
    int pronoun; /* its position, or -1 */
    int n_nouns;
    const char *nouns[PARSER_MOST]; /* in their order in the sentence, each by its singular */
    int32_t partners[PARSER_RELATIONS][PARSER_MOST];
} parser;

/* Fails the test with the sentence's text where it is none, or where words that belong together do not agree. */
void parser_read(parser *p);
