#include "heads/alignment.h"

#include "core/examples.h"

/* The source of query i, HL_IGNORE if there is none. */
static int64_t source_of(const hl_pattern *pattern, int64_t i)
{
    return pattern->sources != NULL ? pattern->sources[i] : HL_IGNORE;
}

hl_alignment hl_alignment_of(const hl_patterns *patterns)
{
    hl_alignment alignment = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            int64_t source = source_of(&pattern, i), n_keys = hl_pattern_keys(&pattern, i);
            alignment.weight.n += source != HL_IGNORE;
            if (source != HL_IGNORE && source < n_keys) {
                alignment.weight.value += (double)hl_pattern_row(&pattern, i)[source];
                alignment.weight.baseline += 1 / (double)n_keys;
                alignment.hit_rate += hl_pattern_argmax(&pattern, i) == source;
            }
        }
    }
    alignment.weight = hl_score_mean(alignment.weight);
    if (alignment.weight.n > 0) {
        alignment.hit_rate /= (double)alignment.weight.n;
    }
    return alignment;
}

double hl_alignment_fixed_rate(const hl_patterns *patterns, int64_t k)
{
    int64_t n = 0, hits = 0;
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            int64_t source = source_of(&pattern, i);
            n += source != HL_IGNORE;
            hits += source != HL_IGNORE && source == i + k && source < hl_pattern_keys(&pattern, i);
        }
    }
    return n > 0 ? (double)hits / (double)n : 0;
}

int64_t hl_alignment_fixed_best(const hl_patterns *patterns)
{
    int64_t best = 0;
    double largest = 0;
    for (int64_t k = 1 - patterns->n_tokens; k < patterns->n_tokens; k++) {
        double rate = hl_alignment_fixed_rate(patterns, k);
        if (rate > largest) {
            best = k;
            largest = rate;
        }
    }
    return best;
}

hl_patterns hl_relation_as_source(const hl_patterns *patterns, int64_t r)
{
    hl_patterns view = *patterns;
    view.sources = patterns->relations + r * patterns->n_tokens;
    view.sources_gap = (patterns->n_relations - 1) * patterns->n_tokens;
    return view;
}

hl_relation hl_relation_of(const hl_patterns *all, int64_t r)
{
    hl_patterns paired = hl_relation_as_source(all, r);
    hl_patterns choosing = hl_patterns_choosing(&paired), scoring = hl_patterns_scoring(&paired);
    hl_alignment alignment = hl_alignment_of(&scoring);
    int64_t fixed_offset = hl_alignment_fixed_best(&choosing);
    return (hl_relation){ .hit_rate = alignment.hit_rate,
                          .uniform = alignment.weight.baseline,
                          .fixed_offset = fixed_offset,
                          .fixed_rate = hl_alignment_fixed_rate(&scoring, fixed_offset),
                          .n = alignment.weight.n };
}

hl_score hl_relation_score(hl_relation relation)
{
    return (hl_score){ relation.hit_rate, fmax(relation.uniform, relation.fixed_rate), relation.n };
}
