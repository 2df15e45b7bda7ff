/* The attention weights of one head, which metrics read: A[i][j] = how much query i attends to key j, after softmax and
 * mask, before dropout.
 *
 * Only real queries and keys count: the positions before the example's length. Query i may attend to the keys 0 .. n_i
 * - 1. n_i is the length, or i + 1 with a causal mask. A window does not reduce it: keys outside have weight 0. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/examples.h"
#include "data/vocabulary.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What is known about a text's tokens and words: the fields of hl_examples with the same names (core/examples.h), for
 * examples (E, T) or for one example (T). Not owned; each is NULL if it is not known. Forms are known only together
 * with words. Of toy tasks nothing is known, except perhaps the kinds. */
typedef struct hl_pattern_text {
    const unsigned char *kinds, *form_kinds;
    const int32_t *words, *forms, *rarest;
} hl_pattern_text;

/* One head on one example. */
typedef struct hl_pattern {
    const hl_real *weights; /* (T, T); the first n rows and columns are real; not owned */
    int64_t n_tokens;       /* T */
    int64_t n;              /* the length, 1 .. T */
    bool causal;
    /* What the task gives about the example; not owned. Each is NULL if it is not known. */
    const int32_t *tokens;    /* (T): ids */
    const int32_t *sources;   /* (T): the position in 0 .. n - 1 from which a perfect head fetches the answer, or
                                 HL_IGNORE */
    const int32_t *relations; /* (R, T): the position in 0 .. n - 1 that gold relation r pairs with token i, or
                                 HL_IGNORE */
    int64_t n_relations;      /* R */
    hl_pattern_text text;
} hl_pattern;

/* n_i. */
static inline int64_t hl_pattern_keys(const hl_pattern *pattern, int64_t query)
{
    return pattern->causal ? query + 1 : pattern->n;
}

/* A[i]; its first n_i numbers count. */
static inline const hl_real *hl_pattern_row(const hl_pattern *pattern, int64_t query)
{
    return pattern->weights + query * pattern->n_tokens;
}

/* The key with the largest weight, the first among equals. */
int64_t hl_pattern_argmax(const hl_pattern *pattern, int64_t query);

/* Whether the token at that position is known to be ordinary. */
static inline bool hl_pattern_is_ordinary(const hl_pattern *pattern, int64_t position)
{
    if (pattern->tokens == NULL || pattern->text.kinds == NULL) {
        return pattern->tokens != NULL && pattern->tokens[position] >= HL_SPECIAL_TOKENS;
    }
    return (pattern->text.kinds[pattern->tokens[position]] & (HL_TOKEN_SPECIAL | HL_TOKEN_UNKNOWN)) == 0;
}

/* One head on several examples: some rows of a snapshot's arrays. None of the arrays is owned. */
typedef struct hl_patterns {
    const hl_real *weights; /* (E, H, T, T), for all heads of the layer; NULL if no weights are read */
    const int32_t *lengths; /* (E) */
    int64_t n_heads;        /* H */
    int64_t n_tokens;       /* T */
    int64_t head;
    bool causal;
    int64_t n_examples; /* example e is row first + e * (1 + gap) of the arrays */
    int64_t first, gap;
    const int32_t *tokens;    /* (E, T) or NULL */
    const int32_t *sources;   /* (E, T) or NULL */
    int64_t sources_gap;      /* the numbers between its rows */
    const int32_t *relations; /* (E, R, T) or NULL */
    int64_t n_relations;      /* R */
    hl_pattern_text text;
} hl_patterns;

/* Example e, 0 .. n_examples - 1. */
static inline hl_pattern hl_patterns_at(const hl_patterns *patterns, int64_t e)
{
    int64_t row = patterns->first + e * (1 + patterns->gap), T = patterns->n_tokens;
    int64_t map = (row * patterns->n_heads + patterns->head) * T * T;
    hl_pattern pattern;
    pattern.weights = patterns->weights != NULL ? patterns->weights + map : NULL;
    pattern.n_tokens = T;
    pattern.n = patterns->lengths[row];
    pattern.causal = patterns->causal;
    pattern.tokens = patterns->tokens != NULL ? patterns->tokens + row * T : NULL;
    pattern.sources = patterns->sources != NULL ? patterns->sources + row * (T + patterns->sources_gap) : NULL;
    pattern.relations = patterns->relations != NULL ? patterns->relations + row * patterns->n_relations * T : NULL;
    pattern.n_relations = patterns->n_relations;
    pattern.text.kinds = patterns->text.kinds;
    pattern.text.words = patterns->text.words != NULL ? patterns->text.words + row * T : NULL;
    pattern.text.forms = patterns->text.forms != NULL ? patterns->text.forms + row * T : NULL;
    pattern.text.form_kinds = patterns->text.form_kinds;
    pattern.text.rarest = patterns->text.rarest != NULL ? patterns->text.rarest + row : NULL;
    return pattern;
}

/* A head of a model on examples. `weights`: those of its layer, (E, H, T, T). */
hl_patterns hl_patterns_of(const hl_real *weights, const hl_examples *examples, const hl_model_config *config,
                           int layer, int64_t head);

/* What is chosen by its score, such as the best offset, must be scored on other examples. The even-numbered examples of
 * `all` (first and gap 0) choose; the odd-numbered ones score. A single example does both. */
hl_patterns hl_patterns_choosing(const hl_patterns *all);
hl_patterns hl_patterns_scoring(const hl_patterns *all);

/* The number of real queries: the sum of the lengths. */
int64_t hl_patterns_queries(const hl_patterns *patterns);

HL_END_DECLS
