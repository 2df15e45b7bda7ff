/* A few examples of a sequence task, padded to one length, as tasks write them and snapshots, metrics and pictures read
 * them. */
#ifndef HL_CORE_EXAMPLES_H
#define HL_CORE_EXAMPLES_H

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_PAD = 0,     /* the token that fills a sequence up to T */
    HL_IGNORE = -1, /* a target that is not scored; a query without a source position; a token without a partner */
    HL_UNSEEN =
        -2, /* a target that the targets' vocabulary lacks, to be scored as answered wrong; HL_IGNORE in a batch */
};

/* What a token is, bits. Toy tasks have special tokens alone. */
typedef enum hl_token_kind {
    HL_TOKEN_SPECIAL = 1, /* no part of a text; of the tokens below, all but unknown ones and punctuation are */
    HL_TOKEN_FIRST = 2,   /* [CLS], <s>: stands before a text */
    HL_TOKEN_SEPARATOR = 4,
    HL_TOKEN_MASK = 8,
    HL_TOKEN_UNKNOWN = 16,     /* stands for any word or character that is no token */
    HL_TOKEN_PUNCTUATION = 32, /* neither a letter nor a digit is in it, nor is it white space alone */
    HL_TOKEN_PAD = 64,
} hl_token_kind;

/* Which examples: those that train, or those that tell how good the model is. */
typedef enum hl_split { HL_TRAIN, HL_VALIDATION } hl_split;

/* All arrays are (B, T), (B, R, T) or (B) and not owned. Positions at and past lengths[b] hold HL_PAD in `tokens`, 0 in
 * `types` and HL_IGNORE elsewhere. */
typedef struct hl_examples {
    int64_t n_examples; /* B */
    int64_t n_tokens;   /* T, at least the longest length */
    int32_t *tokens;    /* (B, T), ids in [0, V) */
    int32_t *targets;   /* (B, T), ids of the targets' vocabulary, [0, C), HL_IGNORE or HL_UNSEEN */
    int32_t *sources;   /* (B, T), the position a perfect head fetches the answer from, or HL_IGNORE */
    int32_t *lengths;   /* (B), 1 .. T */

    int64_t n_relations; /* R, the relations between tokens that the task states; 0 where it states none */
    int32_t *relations;  /* (B, R, T), the position that token t is paired with by relation r, or HL_IGNORE; NULL where
                            R = 0 */

    const unsigned char
        *kinds; /* (V), bits of hl_token_kind, by id; NULL: ids below 3 are special, all others are not */
    int32_t
        *words; /* (B, T), the word that a token belongs to, counted from 0 in its example; -1: none, it is a special
                       token; NULL: every token is a word */
    int32_t *types; /* (B, T), 0, or 1 in the second of two texts; NULL: all are 0 */

    /* What the words are (data/text/word_forms.h); NULL where it is not known. */
    const int32_t *forms; /* (B, T), the id of the form of the word that a token belongs to: words that differ in case
                             alone have one; -1: none */
    const unsigned char *form_kinds; /* bits of hl_token_kind, by form: punctuation; unknown, where it is hidden */
    const int32_t *rarest;           /* (B), the word that is the rarest in the training file; -1: none is known */
} hl_examples;

/* The examples first ... first + count - 1 of `batch`, sharing its arrays. */
hl_examples hl_examples_slice(const hl_examples *batch, int64_t first, int64_t count);

/* The number of scored targets (those that are not HL_IGNORE). */
int64_t hl_examples_scored(const hl_examples *batch);

/* The number of real tokens: the sum of the lengths. */
int64_t hl_examples_real_tokens(const hl_examples *batch);

HL_END_DECLS

#endif
