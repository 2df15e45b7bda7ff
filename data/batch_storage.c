#include "data/batch_storage.h"

#include "core/memory.h"

#include <inttypes.h>

hl_status hl_batch_allocate(int64_t n_examples, int64_t n_tokens, hl_batch *batch)
{
    size_t cells, row;
    if (n_examples < 1 || n_tokens < 1 || !hl_multiply_sizes(3, (size_t)n_tokens, &row) ||
        !hl_multiply_sizes((size_t)n_examples, row + 1, &cells)) {
        return hl_error(HL_INVALID, "a batch of %" PRId64 " examples of %" PRId64 " tokens cannot be", n_examples,
                        n_tokens);
    }
    int32_t *block = hl_calloc(cells, sizeof *block);
    if (block == NULL) {
        return hl_error_memory("a batch");
    }
    size_t matrix = (size_t)n_examples * (size_t)n_tokens;
    *batch = (hl_batch){
        .n_examples = n_examples,
        .n_tokens = n_tokens,
        .tokens = block,
        .targets = block + matrix,
        .sources = block + 2 * matrix,
        .lengths = block + 3 * matrix,
    };
    return hl_ok();
}

void hl_batch_free(hl_batch *batch)
{
    hl_free(batch->tokens);
    *batch = (hl_batch){ 0 };
}
