#include "heads/pattern.h"

#include <assert.h>

int64_t hl_pattern_argmax(const hl_pattern *pattern, int64_t query)
{
    const hl_real *row = hl_pattern_row(pattern, query);
    int64_t n_keys = hl_pattern_keys(pattern, query), at = 0;
    for (int64_t j = 1; j < n_keys; j++) {
        at = row[j] > row[at] ? j : at;
    }
    return at;
}

/* Every second example from `first` on. */
static hl_patterns every_second(const hl_patterns *all, int64_t first)
{
    assert(all->first == 0 && all->gap == 0);
    hl_patterns half = *all;
    half.n_examples = (all->n_examples - first + 1) / 2;
    half.first = first;
    half.gap = 1;
    return half;
}

hl_patterns hl_patterns_of(const hl_real *weights, const hl_examples *examples, const hl_model_config *config,
                           int layer, int64_t head)
{
    return (hl_patterns){
        .weights = weights,
        .lengths = examples->lengths,
        .tokens = examples->tokens,
        .sources = examples->sources,
        .relations = examples->relations,
        .n_relations = examples->n_relations,
        .n_heads = config->heads[layer],
        .n_tokens = examples->n_tokens,
        .head = head,
        .causal = config->causal,
        .n_examples = examples->n_examples,
        .text = { .kinds = examples->kinds,
                  .words = examples->words,
                  .forms = examples->forms,
                  .form_kinds = examples->form_kinds,
                  .rarest = examples->rarest },
    };
}

hl_patterns hl_patterns_choosing(const hl_patterns *all)
{
    return every_second(all, 0);
}

hl_patterns hl_patterns_scoring(const hl_patterns *all)
{
    return every_second(all, all->n_examples > 1 ? 1 : 0);
}

int64_t hl_patterns_queries(const hl_patterns *patterns)
{
    int64_t queries = 0;
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        queries += hl_patterns_at(patterns, e).n;
    }
    return queries;
}
