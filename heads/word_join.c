#include "heads/word_join.h"

#include "core/base/memory.h"
#include "heads/word_share.h"

static int64_t count_words(const hl_pattern *example)
{
    int64_t n = 0;
    for (hl_word_span word = { 0 }; hl_word_next(example, &word);) {
        n++;
    }
    return n;
}

static hl_pattern example_at(const hl_patterns *layer, int64_t head, int64_t e)
{
    hl_patterns patterns = *layer;
    patterns.head = head;
    return hl_patterns_at(&patterns, e);
}

static hl_status allocate(hl_word_join *join, const hl_patterns *layers, int n_layers)
{
    int64_t E = layers->n_examples, W = 1, heads = 0;
    for (int64_t e = 0; e < E; e++) {
        hl_pattern example = hl_patterns_at(layers, e);
        int64_t n = count_words(&example);
        W = n > W ? n : W;
    }
    for (int l = 0; l < n_layers; l++) {
        heads += layers[l].n_heads;
    }
    join->weights = hl_calloc(hl_size_product((size_t)(E * heads), (size_t)(W * W)), sizeof *join->weights);
    join->layers = hl_calloc((size_t)n_layers, sizeof *join->layers);
    join->first = hl_calloc((size_t)(E * (2 * W + 1)), sizeof *join->first);
    HL_NEED(join->weights != NULL && join->layers != NULL && join->first != NULL, "maps of words");
    join->examples = (hl_examples){ .n_examples = E,
                                    .n_tokens = W,
                                    .tokens = layers->text.forms != NULL ? join->first + E * W : NULL,
                                    .kinds = layers->text.form_kinds,
                                    .lengths = join->first + 2 * E * W };
    hl_real *weights = join->weights;
    for (int l = 0; l < n_layers; l++) {
        join->layers[l] = (hl_patterns){ .weights = weights,
                                         .lengths = join->examples.lengths,
                                         .n_heads = layers[l].n_heads,
                                         .n_tokens = W,
                                         .causal = layers[l].causal,
                                         .n_examples = E,
                                         .tokens = join->examples.tokens,
                                         .text.kinds = join->examples.kinds };
        weights += E * layers[l].n_heads * W * W;
    }
    return hl_ok();
}

static void name_words(const hl_pattern *example, int32_t *first, int32_t *forms, int32_t *length)
{
    *length = 0;
    for (hl_word_span word = { 0 }; hl_word_next(example, &word); ++*length) {
        first[*length] = (int32_t)word.begin;
        if (forms != NULL) {
            forms[*length] = example->text.forms[word.begin];
        }
    }
}

static void join_map(const hl_pattern *example, int64_t W, hl_real *joined)
{
    for (hl_word_span query = { 0 }; hl_word_next(example, &query); joined += W) {
        hl_real *to = joined;
        for (hl_word_span key = { 0 }; hl_word_next(example, &key);) {
            *to++ = (hl_real)hl_word_weight(example, query, key);
        }
    }
}

hl_status hl_word_join_make(hl_word_join *join, const hl_patterns *layers, int n_layers)
{
    *join = (hl_word_join){ 0 };
    hl_status status = allocate(join, layers, n_layers);
    if (status.code != HL_OK) {
        hl_word_join_free(join);
        return status;
    }
    hl_examples *examples = &join->examples;
    int64_t E = examples->n_examples, W = examples->n_tokens;
    for (int64_t e = 0; e < E; e++) {
        hl_pattern example = hl_patterns_at(layers, e);
        int32_t *forms = examples->tokens != NULL ? examples->tokens + e * W : NULL;
        name_words(&example, join->first + e * W, forms, &examples->lengths[e]);
        hl_real *to = join->weights;
        for (int l = 0; l < n_layers; l++) {
            int64_t H = layers[l].n_heads;
            for (int64_t h = 0; h < H; h++) {
                example = example_at(&layers[l], h, e);
                join_map(&example, W, to + (e * H + h) * W * W);
            }
            to += E * H * W * W;
        }
    }
    return hl_ok();
}

void hl_word_join_free(hl_word_join *join)
{
    hl_free(join->weights);
    hl_free(join->layers);
    hl_free(join->first);
    *join = (hl_word_join){ 0 };
}
