#include "heads/mean_map.h"

static bool have_one_length(const hl_patterns *patterns)
{
    int64_t n = hl_patterns_at(patterns, 0).n;
    for (int64_t e = 1; e < patterns->n_examples; e++) {
        if (hl_patterns_at(patterns, e).n != n) {
            return false;
        }
    }
    return true;
}

static int64_t longest_of(const hl_patterns *patterns)
{
    int64_t longest = 0;
    for (int64_t e = 1; e < patterns->n_examples; e++) {
        longest = hl_patterns_at(patterns, e).n > hl_patterns_at(patterns, longest).n ? e : longest;
    }
    return longest;
}

hl_patterns hl_patterns_shown(const hl_patterns *all)
{
    hl_patterns shown = hl_patterns_scoring(all);
    if (!have_one_length(&shown)) {
        shown = *all;
        shown.first = longest_of(all);
        shown.n_examples = 1;
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
