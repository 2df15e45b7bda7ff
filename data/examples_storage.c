#include "data/examples_storage.h"

#include "core/base/memory.h"

#include <inttypes.h>

/* The numbers in a batch. Each example has tokens, targets, sources, relations (T each) and a length. SIZE_MAX if a
 * size is out of range or the count does not fit. */
static size_t count_numbers(int64_t n_examples, int64_t n_tokens, int64_t n_relations)
{
    bool possible = n_examples >= 1 && n_tokens >= 1 && n_relations >= 0 && n_relations <= INT64_MAX - 3;
    size_t row = hl_size_sum(hl_size_product(3 + (size_t)n_relations, (size_t)n_tokens), 1);
    return possible ? hl_size_product((size_t)n_examples, row) : SIZE_MAX;
}

size_t hl_examples_bytes(int64_t n_examples, int64_t n_tokens, int64_t n_relations)
{
    return hl_size_product(count_numbers(n_examples, n_tokens, n_relations), sizeof(int32_t));
}

hl_status hl_examples_allocate(int64_t n_examples, int64_t n_tokens, int64_t n_relations, hl_examples *batch)
{
    size_t numbers = count_numbers(n_examples, n_tokens, n_relations);
    if (numbers == SIZE_MAX) {
        return hl_error(HL_INVALID,
                        "a batch of %" PRId64 " examples of %" PRId64 " tokens with %" PRId64 " relations cannot be",
                        n_examples, n_tokens, n_relations);
    }
    int32_t *block = hl_calloc(numbers, sizeof *block);
    HL_NEED(block != NULL, "a batch");
    size_t matrix = (size_t)n_examples * (size_t)n_tokens;
    *batch = (hl_examples){
        .n_examples = n_examples,
        .n_tokens = n_tokens,
        .tokens = block,
        .targets = block + matrix,
        .sources = block + 2 * matrix,
        .lengths = block + 3 * matrix,
        .n_relations = n_relations,
        .relations = n_relations > 0 ? block + 3 * matrix + n_examples : NULL,
    };
    return hl_ok();
}

hl_status hl_examples_allocate_text(int64_t n_examples, int64_t n_tokens, bool types, hl_examples *batch)
{
    HL_TRY(hl_examples_allocate(n_examples, n_tokens, 1 + types, batch));
    batch->words = batch->relations;
    batch->types = types ? batch->relations + n_examples * n_tokens : NULL;
    batch->relations = NULL;
    batch->n_relations = 0;
    return hl_ok();
}

void hl_examples_free(hl_examples *batch)
{
    hl_free(batch->tokens);
    *batch = (hl_examples){ 0 };
}
