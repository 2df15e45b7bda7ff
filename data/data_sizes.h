/* What a model and the memory of a run need to know of the data: of a toy task known from its spec alone, of a text
 * once it is opened. */
#ifndef HL_DATA_DATA_SIZES_H
#define HL_DATA_DATA_SIZES_H

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_data_sizes {
    int64_t vocabulary;  /* V, the special tokens included */
    int64_t targets;     /* C, what a target is one of: V, or the number of labels */
    int64_t longest;     /* T, the tokens of the longest example */
    double mean;         /* the tokens of an example of training, about; 0: not known */
    int64_t answers;     /* the most targets of an example */
    int64_t n_lengths;   /* 1: all examples are equally long; else how many lengths there are, or may be */
    int64_t relations;   /* R, the relations between tokens that are stated */
    int64_t types;       /* 2 where a token may belong to the first or the second of two texts, else 0 */
    int64_t examples[2]; /* by hl_split; 0: without end */
    int64_t treebank;    /* the bytes that patterns.treebank takes, with what is counted in it; 0: there is none */
    bool words;          /* tokens belong to words (hl_examples.words) */
    bool pooled;         /* an example has one answer, as a whole */
} hl_data_sizes;

HL_END_DECLS

#endif
