/* What metrics read: the attention weights of one head, A[i][j] = how much query i attends to key j, after softmax and
 * mask, before dropout.
 *
 * Only real queries and keys count, those before the example's length. Query i may attend to the keys 0 .. n_i - 1,
 * where n_i is the length, or i + 1 with a causal mask. */
#ifndef HL_HEADS_PATTERN_H
#define HL_HEADS_PATTERN_H

#include "core/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One head on one example. */
typedef struct hl_pattern {
    const hl_real *weights; /* (T, T), of which the first n rows and columns are real; not owned */
    int64_t n_tokens;       /* T */
    int64_t n;              /* the length, 1 .. T */
    const int32_t
        *sources; /* (T): the position in 0 .. n - 1 that a perfect head fetches the answer from, or HL_IGNORE;
                               NULL where the task states none; not owned */
    bool causal;
} hl_pattern;

/* n_i. */
static inline int64_t hl_pattern_keys(const hl_pattern *pattern, int64_t query)
{
    return pattern->causal ? query + 1 : pattern->n;
}

/* A[i], of which the first n_i numbers count. */
static inline const hl_real *hl_pattern_row(const hl_pattern *pattern, int64_t query)
{
    return pattern->weights + query * pattern->n_tokens;
}

/* One head on several examples: some rows of the arrays of a snapshot, none of which is owned. */
typedef struct hl_patterns {
    const hl_real *weights; /* (E, H, T, T), of all heads of the layer */
    const int32_t *lengths; /* (E) */
    const int32_t *sources; /* (E, T) or NULL */
    int64_t n_heads;        /* H */
    int64_t n_tokens;       /* T */
    int64_t head;
    bool causal;
    int64_t n_examples; /* how many are meant; example e of them is row first + e * (1 + gap) of the arrays */
    int64_t first, gap;
} hl_patterns;

/* Example e, 0 .. n_examples - 1. */
static inline hl_pattern hl_patterns_at(const hl_patterns *patterns, int64_t e)
{
    int64_t row = patterns->first + e * (1 + patterns->gap), T = patterns->n_tokens;
    return (hl_pattern){
        .weights = patterns->weights + (row * patterns->n_heads + patterns->head) * T * T,
        .n_tokens = T,
        .n = patterns->lengths[row],
        .sources = patterns->sources != NULL ? patterns->sources + row * T : NULL,
        .causal = patterns->causal,
    };
}

/* What is chosen by looking (the best offset) must not be scored on the examples it was chosen on: the even-numbered
 * ones of `all` (first and gap 0) choose, the odd-numbered ones score. A single example does both. */
hl_patterns hl_patterns_choosing(const hl_patterns *all);
hl_patterns hl_patterns_scoring(const hl_patterns *all);

/* The number of real queries: the sum of the lengths. */
int64_t hl_patterns_queries(const hl_patterns *patterns);

#endif
