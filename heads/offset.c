#include "heads/offset.h"

/* Adds up one example's diagonal. */
static void add_diagonal(const hl_pattern *pattern, int64_t k, hl_score *sum)
{
    int64_t begin = k < 0 ? -k : 0;
    int64_t end = k > 0 ? pattern->n - k : pattern->n;
    if (pattern->causal && k > 0) {
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        sum->value += (double)hl_pattern_row(pattern, i)[i + k];
        sum->baseline += 1 / (double)hl_pattern_keys(pattern, i);
        sum->n++;
    }
}

hl_score hl_offset_score(const hl_patterns *patterns, int64_t k)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        add_diagonal(&pattern, k, &score);
    }
    if (score.n > 0) {
        score.value /= (double)score.n;
        score.baseline /= (double)score.n;
    }
    return score;
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
