/* A case of a relation: a word, and the words that are right for it. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Relations that are not of column DEPREL, of which a word has at most one case each: the case is found by a look at
 * one of several right words. They exist only if the file has cases of them and none of its relations has the name. */
typedef enum hl_treebank_extra {
    HL_TREEBANK_NEG,    /* "neg": a word with Polarity=Neg in FEATS; its head is right */
    HL_TREEBANK_ENTITY, /* "entity": a word of a mention of several words (Entity= in MISC); right are the other words
                           of the shortest such mention. Mentions of several parts or sentences do not count */
    HL_TREEBANK_LONG,   /* "long": a word whose head is more than five words away; its head is right */
    HL_TREEBANK_EXTRAS
} hl_treebank_extra;

typedef struct hl_treebank_arc {
    int32_t relation;   /* in 0 .. R - 1; -1: of a relation that does not exist */
    int32_t word;       /* the word of the case */
    int32_t first, end; /* right are the words first .. end - 1, but not the word itself */
} hl_treebank_arc;

static inline bool hl_treebank_is_right(const hl_treebank_arc *arc, int64_t guess)
{
    return guess >= arc->first && guess < arc->end && guess != arc->word;
}

HL_END_DECLS
