#include "core/examples.h"

#include <stddef.h>

static int32_t *from(int32_t *array, int64_t at)
{
    return array != NULL ? array + at : NULL;
}

hl_examples hl_examples_slice(const hl_examples *batch, int64_t first, int64_t count)
{
    int64_t at = first * batch->n_tokens;
    return (hl_examples){
        .n_examples = count,
        .n_tokens = batch->n_tokens,
        .tokens = from(batch->tokens, at),
        .targets = from(batch->targets, at),
        .sources = from(batch->sources, at),
        .lengths = from(batch->lengths, first),
        .n_relations = batch->n_relations,
        .relations = from(batch->relations, at * batch->n_relations),
        .kinds = batch->kinds,
        .words = from(batch->words, at),
        .types = from(batch->types, at),
        .forms = batch->forms != NULL ? batch->forms + at : NULL,
        .form_kinds = batch->form_kinds,
        .rarest = batch->rarest != NULL ? batch->rarest + first : NULL,
    };
}

int64_t hl_examples_scored(const hl_examples *batch)
{
    int64_t scored = 0;
    for (int64_t i = 0; i < batch->n_examples * batch->n_tokens; i++) {
        scored += batch->targets[i] != HL_IGNORE;
    }
    return scored;
}

int64_t hl_examples_real_tokens(const hl_examples *batch)
{
    int64_t tokens = 0;
    for (int64_t b = 0; b < batch->n_examples; b++) {
        tokens += batch->lengths[b];
    }
    return tokens;
}
