/* A few examples of a sequence task, padded to one length, as tasks write them and snapshots, metrics and pictures read
 * them. */
#ifndef HL_CORE_EXAMPLES_H
#define HL_CORE_EXAMPLES_H

#include "core/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_PAD = 0,     /* the token that fills a sequence up to T */
    HL_IGNORE = -1, /* a target that is not scored; a query without a source position; a token without a partner */
};

/* Which examples: those that train, or those that tell how good the model is. */
typedef enum hl_split { HL_TRAIN, HL_VALIDATION } hl_split;

/* All arrays are (B, T), (B, R, T) or (B) and not owned. Positions at and past lengths[b] hold HL_PAD in `tokens` and
 * HL_IGNORE elsewhere. */
typedef struct hl_examples {
    int64_t n_examples; /* B */
    int64_t n_tokens;   /* T, at least the longest length */
    int32_t *tokens;    /* (B, T), ids in [0, V) */
    int32_t *targets;   /* (B, T), ids in [0, V) or HL_IGNORE */
    int32_t *sources;   /* (B, T), the position a perfect head fetches the answer from, or HL_IGNORE */
    int32_t *lengths;   /* (B), 1 .. T */

    int64_t n_relations; /* R, the relations between tokens that the task states; 0 where it states none */
    int32_t *relations;  /* (B, R, T), the position that token t is paired with by relation r, or HL_IGNORE; NULL where
                            R = 0 */
} hl_examples;

/* The examples first ... first + count - 1 of `batch`, sharing its arrays. */
hl_examples hl_examples_slice(const hl_examples *batch, int64_t first, int64_t count);

/* The number of scored targets (those that are not HL_IGNORE). */
int64_t hl_examples_scored(const hl_examples *batch);

/* The number of real tokens: the sum of the lengths. */
int64_t hl_examples_real_tokens(const hl_examples *batch);

HL_END_DECLS

#endif
