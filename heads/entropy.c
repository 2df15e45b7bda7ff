#include "heads/entropy.h"

#include "heads/private/row_entropy.h"

static void add_example(const hl_pattern *pattern, hl_entropy *sum)
{
    for (int64_t i = 0; i < pattern->n; i++) {
        int64_t n_keys = hl_pattern_keys(pattern, i);
        double entropy = hl_row_entropy(hl_pattern_row(pattern, i), n_keys), uniform = log((double)n_keys);
        sum->nats += entropy;
        sum->uniform += uniform;
        if (n_keys > 1) {
            sum->normalised += entropy / uniform;
            sum->n_normalised++;
        }
    }
    sum->n += pattern->n;
}

hl_entropy hl_entropy_of(const hl_patterns *patterns)
{
    hl_entropy entropy = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        add_example(&pattern, &entropy);
    }
    entropy.nats /= (double)entropy.n;
    entropy.uniform /= (double)entropy.n;
    if (entropy.n_normalised > 0) {
        entropy.normalised /= (double)entropy.n_normalised;
    }
    return entropy;
}

hl_score hl_confidence_of(const hl_patterns *patterns)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            int64_t n_keys = hl_pattern_keys(&pattern, i);
            score.value += (double)hl_pattern_row(&pattern, i)[hl_pattern_argmax(&pattern, i)];
            score.baseline += 1 / (double)n_keys;
        }
        score.n += pattern.n;
    }
    return hl_score_mean(score);
}
