/* Metrics that measure how much of a query's attention falls on keys of a certain kind, such as the other occurrences
 * of its token. A perfect head reaches 1. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

/* Whether `key` is of the kind for `query`; called only for keys 0 .. n_i - 1. */
typedef bool hl_key_kind(const hl_pattern *pattern, int64_t query, int64_t key);

typedef enum hl_share_of {
    HL_SHARE_OF_ALL,   /* the mean is over all real queries */
    HL_SHARE_OF_KEYED, /* only over queries that may attend to a key of the kind */
} hl_share_of;

/* Only for hl_key_share: adds one query. */
__attribute__((always_inline)) static inline void
hl_key_share_add(const hl_pattern *pattern, int64_t query, hl_key_kind *kind, hl_share_of queries, hl_score *sum)
{
    const hl_real *row = hl_pattern_row(pattern, query);
    int64_t n_keys = hl_pattern_keys(pattern, query), n_kind = 0;
    for (int64_t j = 0; j < n_keys; j++) {
        if (kind(pattern, query, j)) {
            sum->value += (double)row[j];
            n_kind++;
        }
    }
    sum->baseline += (double)n_kind / (double)n_keys;
    sum->n += n_kind > 0 || queries == HL_SHARE_OF_ALL;
}

/* The mean over queries of the total weight on keys of the kind. The baseline is the mean of the fraction of the n_i
 * keys that are of the kind. The function is inline so that `kind`, which is called for every number of a map, is
 * inlined too. */
__attribute__((always_inline)) static inline hl_score hl_key_share(const hl_patterns *patterns, hl_key_kind *kind,
                                                                   hl_share_of queries)
{
    hl_score score = { 0, 0, 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            hl_key_share_add(&pattern, i, kind, queries, &score);
        }
    }
    return hl_score_mean(score);
}

HL_END_DECLS
