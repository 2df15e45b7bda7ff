#include "heads/offset.h"

#include <assert.h>

/* Sums over the queries that have a key at the distance `first`, `first` + 1, .... */
typedef struct sums {
    double values[HL_OFFSETS_AT_ONCE], baselines[HL_OFFSETS_AT_ONCE];
    int64_t queries[HL_OFFSETS_AT_ONCE];
} sums;

/* Adds query i, whose keys lie one beside the other. */
static void add_query(sums *to, const hl_pattern *pattern, int64_t i, int64_t first, int64_t n)
{
    const hl_real *row = hl_pattern_row(pattern, i);
    int64_t keys = hl_pattern_keys(pattern, i);
    double uniform = 1 / (double)keys;
    int64_t begin = i + first < 0 ? -i - first : 0, end = keys - i - first < n ? keys - i - first : n;
    for (int64_t k = begin; k < end; k++) {
        to->values[k] += (double)row[i + first + k];
        to->baselines[k] += uniform;
        to->queries[k]++;
    }
}

void hl_offset_scores(const hl_patterns *patterns, int64_t first, int64_t n, hl_score *scores)
{
    assert(n <= HL_OFFSETS_AT_ONCE);
    sums all = { 0 };
    bool any = first < patterns->n_tokens && first > -patterns->n_tokens - n;
    for (int64_t e = 0; any && e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            add_query(&all, &pattern, i, first, n);
        }
    }
    for (int64_t k = 0; k < n; k++) {
        scores[k] = hl_score_mean((hl_score){ all.values[k], all.baselines[k], all.queries[k] });
    }
}

hl_score hl_offset_score(const hl_patterns *patterns, int64_t k)
{
    hl_score score;
    hl_offset_scores(patterns, k, 1, &score);
    return score;
}

double hl_offset_hit_rate(const hl_patterns *patterns, int64_t k)
{
    int64_t n = 0, hits = 0;
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        int64_t end = k > 0 ? pattern.n - k : pattern.n; /* of the queries that have a key at that distance */
        for (int64_t i = k < 0 ? -k : 0; i < end; i++) {
            hits += hl_pattern_argmax(&pattern, i) == i + k;
            n++;
        }
    }
    return n > 0 ? (double)hits / (double)n : 0;
}

int64_t hl_offset_best(const hl_patterns *patterns)
{
    int64_t best = 0, queries = hl_patterns_queries(patterns), end = patterns->n_tokens;
    double largest = -1;
    for (int64_t first = 1 - end; first < end; first += HL_OFFSETS_AT_ONCE) {
        hl_score scores[HL_OFFSETS_AT_ONCE];
        int64_t n = end - first < HL_OFFSETS_AT_ONCE ? end - first : HL_OFFSETS_AT_ONCE;
        hl_offset_scores(patterns, first, n, scores);
        for (int64_t k = 0; k < n; k++) {
            if (4 * scores[k].n >= queries && scores[k].value > largest) {
                best = first + k;
                largest = scores[k].value;
            }
        }
    }
    return best;
}
