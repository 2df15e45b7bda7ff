/* A few examples of a sequence task, padded to one length. Tasks write them; snapshots, metrics and pictures read
 * them. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_PAD = 0,     /* the token that fills a sequence up to T */
    HL_IGNORE = -1, /* a target that is not scored; a query without a source position; a token without a partner */
    HL_UNSEEN =
        -2, /* a target that is missing in the targets' vocabulary: scored as a wrong answer; becomes HL_IGNORE in a
               batch */
};

/* What a token is, as bits. Toy tasks have special tokens only. */
typedef enum hl_token_kind {
    HL_TOKEN_SPECIAL = 1, /* not a part of the text; set with all bits below except unknown and punctuation */
    HL_TOKEN_FIRST = 2,   /* [CLS], <s>: comes before a text */
    HL_TOKEN_SEPARATOR = 4,
    HL_TOKEN_MASK = 8,
    HL_TOKEN_UNKNOWN = 16,     /* stands for any word or character that has no token */
    HL_TOKEN_PUNCTUATION = 32, /* contains no letter and no digit, and is not only white space */
    HL_TOKEN_PAD = 64,
} hl_token_kind;

/* Which examples: those for training, or those that measure how good the model is. */
typedef enum hl_split { HL_TRAIN, HL_VALIDATION } hl_split;

/* All arrays are (B, T), (B, R, T) or (B), and none is owned. From position lengths[b] on, `tokens` holds HL_PAD,
 * `types` holds 0, and the other arrays hold HL_IGNORE. */
typedef struct hl_examples {
    int64_t n_examples; /* B */
    int64_t n_tokens;   /* T, at least the longest length */
    int32_t *tokens;    /* (B, T), ids in [0, V) */
    int32_t *targets;   /* (B, T), ids in the targets' vocabulary, [0, C), HL_IGNORE or HL_UNSEEN */
    int32_t *sources;   /* (B, T), the position from which a perfect head fetches the answer, or HL_IGNORE */
    int32_t *lengths;   /* (B), 1 .. T */

    int64_t n_relations; /* R, the number of relations between tokens that the task defines; may be 0 */
    int32_t *relations;  /* (B, R, T), the position of the token that relation r pairs with token t, or HL_IGNORE; NULL
                            if R = 0 */

    const unsigned char
        *kinds; /* (V), bits of hl_token_kind, by id. NULL: ids below 3 are special, and all others are not. */
    int32_t
        *words; /* (B, T), the word that a token belongs to, counted from 0 in its example; -1 for special tokens, which
                   belong to no word. NULL: every token is a word. */
    int32_t *types; /* (B, T), 0, or 1 in the second of two texts; NULL: every type is 0 */

    /* What the words are (data/text/word_forms.h); NULL if this is unknown. */
    const int32_t *forms; /* (B, T), the id of the form of the token's word; -1: none. Words that differ only in case
                             have the same form */
    const unsigned char *form_kinds; /* bits of hl_token_kind, by form: punctuation; unknown, where it is hidden */
    const int32_t *rarest;           /* (B), the word that is rarest in the training file; -1: unknown */
} hl_examples;

/* The examples first ... first + count - 1 of `batch`. The slice shares the arrays of `batch`. */
hl_examples hl_examples_slice(const hl_examples *batch, int64_t first, int64_t count);

/* The number of scored targets (those that are not HL_IGNORE). */
int64_t hl_examples_scored(const hl_examples *batch);

/* The number of real tokens: the sum of the lengths. */
int64_t hl_examples_real_tokens(const hl_examples *batch);

HL_END_DECLS
