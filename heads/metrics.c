#include "heads/metrics.h"

#include "heads/alignment.h"
#include "heads/offset.h"

hl_head_metrics hl_head_measure(int layer, const hl_patterns *all)
{
    hl_patterns choosing = hl_patterns_choosing(all), scoring = hl_patterns_scoring(all);
    hl_head_metrics metrics = { .layer = layer, .head = all->head };
    metrics.best_offset = hl_offset_best(&choosing);
    metrics.offset = hl_offset_score(&scoring, metrics.best_offset);
    metrics.entropy = hl_entropy_of(&scoring);
    metrics.confidence = hl_confidence_of(&scoring);
    hl_alignment alignment = hl_alignment_of(&scoring);
    metrics.alignment = alignment.weight;
    metrics.hit_rate = alignment.hit_rate;
    metrics.fixed_offset = hl_alignment_fixed_best(&choosing);
    metrics.fixed_rate = hl_alignment_fixed_rate(&scoring, metrics.fixed_offset);
    metrics.alignment.baseline = fmax(metrics.alignment.baseline, metrics.fixed_rate);
    return metrics;
}
