#include "heads/word_join.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"

double hl_word_weight(const hl_pattern *pattern, hl_word_span query, hl_word_span key)
{
    double sum = 0;
    for (int64_t i = query.begin; i < query.end; i++) {
        const hl_real *row = hl_pattern_row(pattern, i);
        int64_t n_keys = hl_pattern_keys(pattern, i), end = key.end < n_keys ? key.end : n_keys;
        for (int64_t j = key.begin; j < end; j++) {
            sum += (double)row[j];
        }
    }
    return sum / (double)(query.end - query.begin);
}

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

/* What is joined. */
typedef struct joining {
    hl_word_join *join;
    const hl_patterns *layers;
    int n_layers;
    int64_t n_heads, W; /* heads of all layers; the most words */
} joining;

static void lay_out(void *context, hl_block *block)
{
    const joining *of = context;
    hl_word_join *join = of->join;
    const hl_pattern_text *text = &of->layers->text;
    int64_t E = of->layers->n_examples, W = of->W;
    join->first = hl_block_take(block, E * W, sizeof *join->first);
    join->examples = (hl_examples){ .n_examples = E, .n_tokens = W, .kinds = text->form_kinds };
    if (text->forms != NULL) {
        join->examples.tokens = hl_block_take(block, E * W, sizeof *join->examples.tokens);
    }
    join->examples.lengths = hl_block_take(block, E, sizeof *join->examples.lengths);
    join->layers = hl_block_take(block, of->n_layers, sizeof *join->layers);
    join->weights = hl_block_take(block, of->n_heads * E * W * W, sizeof *join->weights);
    hl_real *next = join->weights;
    for (int l = 0; join->layers != NULL && l < of->n_layers; l++) {
        join->layers[l] = (hl_patterns){ .weights = next,
                                         .lengths = join->examples.lengths,
                                         .n_heads = of->layers[l].n_heads,
                                         .n_tokens = W,
                                         .causal = of->layers[l].causal,
                                         .n_examples = E,
                                         .tokens = join->examples.tokens,
                                         .text.kinds = join->examples.kinds };
        next += E * of->layers[l].n_heads * W * W;
    }
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
    joining of = { .join = join, .layers = layers, .n_layers = n_layers, .W = 1 };
    for (int64_t e = 0; e < layers->n_examples; e++) {
        hl_pattern example = hl_patterns_at(layers, e);
        int64_t n = count_words(&example);
        of.W = n > of.W ? n : of.W;
    }
    for (int l = 0; l < n_layers; l++) {
        of.n_heads += layers[l].n_heads;
    }
    HL_TRY(hl_block_make(&join->memory, lay_out, &of, "maps of words"));
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
    hl_free(join->memory);
    *join = (hl_word_join){ 0 };
}
