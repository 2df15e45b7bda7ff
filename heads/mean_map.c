#include "heads/mean_map.h"

static int64_t length_of(const hl_patterns *patterns, int64_t e)
{
    return hl_patterns_at(patterns, e).n;
}

hl_patterns hl_patterns_shown(const hl_patterns *all)
{
    hl_patterns shown = hl_patterns_scoring(all);
    bool one_length = true;
    for (int64_t e = 1; e < shown.n_examples; e++) {
        one_length = one_length && length_of(&shown, e) == length_of(&shown, 0);
    }
    if (!one_length) {
        shown = *all;
        shown.n_examples = 1;
        for (int64_t e = 1; e < all->n_examples; e++) {
            shown.first = length_of(all, e) > length_of(all, shown.first) ? e : shown.first;
        }
    }
    return shown;
}

void hl_patterns_mean(const hl_patterns *patterns, hl_real *mean)
{
    int64_t n = hl_patterns_at(patterns, 0).n, T = patterns->n_tokens;
    for (int64_t i = 0; i < n * n; i++) {
        double sum = 0;
        for (int64_t e = 0; e < patterns->n_examples; e++) {
            hl_pattern example = hl_patterns_at(patterns, e);
            sum += (double)example.weights[i / n * T + i % n];
        }
        mean[i] = (hl_real)(sum / (double)patterns->n_examples);
    }
}
