#include "core/batch.h"

#include "core/base/private/ascending.h"

#include <stddef.h>

hl_batch hl_batch_slice(const hl_batch *batch, int64_t first, int64_t count)
{
    const int32_t *offsets = batch->offsets + first;
    int64_t row = offsets[0] - batch->offsets[0];
    int64_t target = hl_first_at_least(batch->target_rows, batch->n_targets, offsets[0]);
    return (hl_batch){
        .n_examples = count,
        .n_rows = offsets[count] - offsets[0],
        .longest = batch->longest,
        .offsets = offsets,
        .tokens = batch->tokens + row,
        .types = batch->types != NULL ? batch->types + row : NULL,
        .positions = batch->positions != NULL ? batch->positions + row : NULL,
        .places = batch->places != NULL ? batch->places + row : NULL,
        .n_targets = hl_first_at_least(batch->target_rows, batch->n_targets, offsets[count]) - target,
        .target_rows = batch->target_rows + target,
        .target_ids = batch->target_ids + target,
    };
}

int64_t hl_batch_fitting(const hl_batch *batch, int64_t first, int64_t most)
{
    int64_t end = first + 1;
    while (end < batch->n_examples && batch->offsets[end + 1] - batch->offsets[first] <= most) {
        end++;
    }
    return end - first;
}

hl_sequences hl_batch_sequences(const hl_batch *batch)
{
    return (hl_sequences){ .n = batch->n_examples, .longest = batch->longest, .offsets = batch->offsets };
}

hl_batch hl_batch_largest(int64_t n_examples, int64_t longest)
{
    int64_t rows = n_examples * longest;
    return (hl_batch){ .n_examples = n_examples, .n_rows = rows, .longest = longest, .n_targets = rows };
}
