/* Reads mentions of entities from CoNLL-U: Entity=... in column MISC, as GUM and CorefUD write it.
 *
 *     Entity=(e1-person-2     opens a mention of entity e1; the id ends at the first - or ), or at the end
 *     Entity=e1)              closes the one of e1 that was opened last
 *     Entity=(e1-person-1)    is a mention of one word
 *     Entity=(e2(e1)e3)       parts follow one another without a blank
 *     Entity=(e1[1/2]-person  opens the first of two parts of a discontinuous mention; e1[1/2]) closes it
 *
 * Mentions nest, cross each other and sentences, and end within their document. Only Entity is read, not Bridge or
 * SplitAnte. Ranges and empty nodes are not words: what stands there is not read.
 *
 * The head of a mention is the first of its words whose syntactic head is none of its words. */
#pragma once

#include "core/base/status.h"
#include "data/text/conllu.h"
#include "data/text/private/text_set.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hl_mention {
    int64_t head;       /* a word of the document, counted from 0 */
    int64_t begin, end; /* its words are begin .. end - 1; both 0 if it has several parts */
    int32_t entity;     /* the number of its id in the document */
} hl_mention;

/* A part of a mention of which not all parts have ended. */
typedef struct hl_open_mention {
    int32_t entity;
    int32_t part, n_parts; /* part `part` of n_parts; 1 of 1 if the mention is whole */
    int64_t begin, end;    /* words begin .. end - 1; end = -1: it has not ended */
    int64_t line;
} hl_open_mention;

/* Of one document; zeroed, it is empty. All arrays are owned: hl_entities_free. */
typedef struct hl_entities {
    hl_text_set ids;
    hl_mention *mentions; /* in the order of their ends, when the document has ended by head, then entity */
    size_t n_mentions, mentions_capacity;
    hl_open_mention *open;
    size_t n_open, open_capacity;
    int64_t *heads; /* (n_words): the word's syntactic head in the document; -1 for a root */
    size_t n_words, words_capacity;
} hl_entities;

/* Reads the next sentence of the document, which has been checked with HL_CONLLU_ROOTS. HL_NO_MEMORY, HL_BAD_FILE:
 *     <path>:<line>: Entity=... cannot be read at "...": its parts look like (e1-person, e1) or (e1-person)
 *     <path>:<line>: e1) closes a mention that is not open
 *     <path>:<line>: e1[2/1]: the parts of a mention are numbered 1/n to n/n, with n from 2 to 99 */
hl_status hl_entities_add(hl_entities *entities, const hl_conllu *reader, const hl_conllu_sentence *sentence);

/* Ends the document. HL_BAD_FILE, "<path>:<line>: the mention of e1 does not end in its document". */
hl_status hl_entities_end(hl_entities *entities, const hl_conllu *reader);

/* Forgets the document, for the next one. */
void hl_entities_clear(hl_entities *entities);

void hl_entities_free(hl_entities *entities);
