/* What a model and the memory of a run need to know about the data. For a toy task, its spec determines these sizes;
 * for text, they are known once the text is opened. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_data_sizes {
    int64_t vocabulary;  /* V, including special tokens */
    int64_t targets;     /* C, the number of possible targets: V, or the number of labels */
    int64_t longest;     /* T, the number of tokens in the longest example */
    double mean;         /* about how many tokens a training example has; 0: unknown */
    int64_t answers;     /* the most targets in one example */
    int64_t n_lengths;   /* 1: all examples have the same length; otherwise how many lengths there are, or may be */
    int64_t relations;   /* R, the number of relations between tokens that the data define */
    int64_t types;       /* 2 if tokens belong to the first or the second of two texts, otherwise 0 */
    int64_t examples[2]; /* by hl_split; 0: unlimited */
    int64_t treebank;    /* the bytes that patterns.treebank and its counts need; 0: no treebank */
    bool words;          /* tokens belong to words (hl_examples.words) */
    bool pooled;         /* an example has one answer for the whole example */
} hl_data_sizes;

HL_END_DECLS
