#include "heads/distance.h"

static void add_query(const hl_pattern *pattern, int64_t i, hl_distance *sum)
{
    const hl_real *row = hl_pattern_row(pattern, i);
    int64_t n_keys = hl_pattern_keys(pattern, i), far = 0, ahead = 0;
    for (int64_t j = 0; j < n_keys; j++) {
        double a = (double)row[j];
        sum->absolute.value += a * fabs((double)(j - i));
        sum->directed.value += a * (double)(j - i);
        far += j > i ? j - i : i - j;
        ahead += j - i;
    }
    sum->absolute.baseline += (double)far / (double)n_keys;
    sum->directed.baseline += (double)ahead / (double)n_keys;
    sum->absolute.n++;
    sum->directed.n++;
}

hl_distance hl_distance_of(const hl_patterns *patterns)
{
    hl_distance sum = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            add_query(&pattern, i, &sum);
        }
    }
    return (hl_distance){ hl_score_mean(sum.absolute), hl_score_mean(sum.directed) };
}
