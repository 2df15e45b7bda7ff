/* A batch as a model reads it. The tokens of all examples lie end to end, one token per row, without padding. The
 * targets are a list of pairs (row, id). */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/sequences.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* The arrays are not owned. A dry tape reads none of them. */
typedef struct hl_batch {
    int64_t n_examples;       /* B */
    int64_t n_rows;           /* N, the sum of the lengths */
    int64_t longest;          /* T: no example is longer */
    const int32_t *offsets;   /* (B + 1): as in hl_sequences; the first is 0, except in a slice */
    const int32_t *tokens;    /* (N): ids in [0, V) */
    const int32_t *types;     /* (N): 0, or 1 in the second of two texts; NULL: every type is 0 */
    const int32_t *positions; /* (N): the position of each row in its example */

    /* (N): the number that identifies each row for dropout (core/tape.h). It is i * max_length + position, where i is
     * the index of the row's example in the whole batch of the update, and max_length is the model's greatest
     * length. */
    const int64_t *places;

    int64_t n_targets;          /* M */
    const int32_t *target_rows; /* (M): ascending, no row twice; the row in the batch is target_rows[m] - offsets[0] */
    const int32_t *target_ids;  /* (M): ids in the targets' vocabulary, or HL_IGNORE if it lacks the right id */
} hl_batch;

/* The examples first ... first + count - 1 of `batch`. The slice shares the batch's arrays. */
hl_batch hl_batch_slice(const hl_batch *batch, int64_t first, int64_t count);

/* How many examples, counted from `first` on, have at most `most` rows together. Returns at least 1. */
int64_t hl_batch_fitting(const hl_batch *batch, int64_t first, int64_t most);

/* The examples of the batch as sequences. */
hl_sequences hl_batch_sequences(const hl_batch *batch);

/* A batch without arrays, for dry passes: n_examples examples of `longest` tokens, with a target in every row. */
hl_batch hl_batch_largest(int64_t n_examples, int64_t longest);

HL_END_DECLS
