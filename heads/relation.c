#include "heads/relation.h"

#include "heads/alignment.h"

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
