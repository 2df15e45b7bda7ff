/* Sequences of different lengths, end to end, as the rows of a tensor (N, ...). There is no padding. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_sequences {
    int64_t n;       /* B */
    int64_t longest; /* T: no sequence has more rows */
    const int32_t
        *offsets; /* (B + 1): sequence b consists of the rows offsets[b] - offsets[0] .. offsets[b + 1] - offsets[0] -
                     1. Not owned; not read on a dry tape */
} hl_sequences;

/* The first row of sequence b, and its number of rows. */
static inline int64_t hl_sequences_first(const hl_sequences *sequences, int64_t b)
{
    return sequences->offsets[b] - sequences->offsets[0];
}

static inline int64_t hl_sequences_length(const hl_sequences *sequences, int64_t b)
{
    return sequences->offsets[b + 1] - sequences->offsets[b];
}

/* HL_INVALID, with a text, unless they are n_rows rows in sequences of 1 .. longest. If `check_numbers` is false,
 * checks only the counts. */
hl_status hl_sequences_check(const hl_sequences *sequences, int64_t n_rows, bool check_numbers);

HL_END_DECLS
