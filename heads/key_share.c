#include "heads/key_share.h"

static void add_query(const hl_pattern *pattern, int64_t i, hl_key_kind *kind, hl_share_of queries, hl_score *sum)
{
    const hl_real *row = hl_pattern_row(pattern, i);
    int64_t n_keys = hl_pattern_keys(pattern, i), n_kind = 0;
    for (int64_t j = 0; j < n_keys; j++) {
        if (kind(pattern, i, j)) {
            sum->value += (double)row[j];
            n_kind++;
        }
    }
    sum->baseline += (double)n_kind / (double)n_keys;
    sum->n += n_kind > 0 || queries == HL_SHARE_OF_ALL;
}

hl_score hl_key_share(const hl_patterns *patterns, hl_key_kind *kind, hl_share_of queries)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            add_query(&pattern, i, kind, queries, &score);
        }
    }
    return hl_score_mean(score);
}
