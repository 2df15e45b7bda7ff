/* A batch as a model reads it: the tokens of all examples end to end, one a row, and the targets as one list of (row,
 * id). Nothing is padded. */
#ifndef HL_CORE_BATCH_H
#define HL_CORE_BATCH_H

#include "core/base/declarations.h"
#include "core/kernels/sequences.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Arrays are not owned. A dry tape reads none of them. */
typedef struct hl_batch {
    int64_t n_examples;       /* B */
    int64_t n_rows;           /* N, the sum of the lengths */
    int64_t longest;          /* T: no example is longer */
    const int32_t *offsets;   /* (B + 1): as in hl_sequences; the first is 0 but in a slice */
    const int32_t *tokens;    /* (N): ids in [0, V) */
    const int32_t *types;     /* (N): 0, or 1 in the second of two texts; NULL: all are 0 */
    const int32_t *positions; /* (N): of each row in its example */

    /* (N): the place by which dropout draws a row's numbers (core/tape.h). It is the index of the row's example in the
     * update's whole batch, times the model's greatest length, plus the row's position. */
    const int64_t *places;

    int64_t n_targets;          /* M */
    const int32_t *target_rows; /* (M): ascending, each once; row r is target_rows[m] - offsets[0] */
    const int32_t *target_ids;  /* (M): ids of the targets' vocabulary; HL_IGNORE: it lacks the right one */
} hl_batch;

/* The examples first ... first + count - 1 of `batch`, sharing its arrays. */
hl_batch hl_batch_slice(const hl_batch *batch, int64_t first, int64_t count);

/* How many of the examples from `first` on have at most `most` rows together; at least one. */
int64_t hl_batch_fitting(const hl_batch *batch, int64_t first, int64_t most);

/* Its examples as sequences. */
hl_sequences hl_batch_sequences(const hl_batch *batch);

/* A batch without arrays for dry passes: the largest of n_examples examples of `longest` tokens, with a target in every
 * row. */
hl_batch hl_batch_largest(int64_t n_examples, int64_t longest);

HL_END_DECLS

#endif
