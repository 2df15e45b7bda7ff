#include "heads/offset.h"

/* The queries begin .. end - 1 may attend to the key at distance k. */
typedef struct span {
    int64_t begin, end;
} span;

static span queries_with(const hl_pattern *pattern, int64_t k)
{
    if (pattern->causal && k > 0) {
        return (span){ 0, 0 };
    }
    return (span){ k < 0 ? -k : 0, k > 0 ? pattern->n - k : pattern->n };
}

hl_score hl_offset_score(const hl_patterns *patterns, int64_t k)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        span queries = queries_with(&pattern, k);
        for (int64_t i = queries.begin; i < queries.end; i++) {
            score.value += (double)hl_pattern_row(&pattern, i)[i + k];
            score.baseline += 1 / (double)hl_pattern_keys(&pattern, i);
            score.n++;
        }
    }
    return hl_score_mean(score);
}

double hl_offset_hit_rate(const hl_patterns *patterns, int64_t k)
{
    int64_t n = 0, hits = 0;
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        span queries = queries_with(&pattern, k);
        for (int64_t i = queries.begin; i < queries.end; i++) {
            hits += hl_pattern_argmax(&pattern, i) == i + k;
            n++;
        }
    }
    return n > 0 ? (double)hits / (double)n : 0;
}

int64_t hl_offset_best(const hl_patterns *patterns)
{
    int64_t best = 0, queries = hl_patterns_queries(patterns);
    double largest = -1;
    for (int64_t k = 1 - patterns->n_tokens; k < patterns->n_tokens; k++) {
        hl_score score = hl_offset_score(patterns, k);
        if (4 * score.n >= queries && score.value > largest) {
            best = k;
            largest = score.value;
        }
    }
    return best;
}
