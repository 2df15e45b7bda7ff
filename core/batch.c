#include "core/batch.h"

#include <stddef.h>

/* The first target at or past `row`, which counts like target_rows. */
static int64_t find_target(const hl_batch *batch, int32_t row)
{
    int64_t low = 0, high = batch->n_targets;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (batch->target_rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

hl_batch hl_batch_slice(const hl_batch *batch, int64_t first, int64_t count)
{
    const int32_t *offsets = batch->offsets + first;
    int64_t row = offsets[0] - batch->offsets[0], target = find_target(batch, offsets[0]);
    return (hl_batch){
        .n_examples = count,
        .n_rows = offsets[count] - offsets[0],
        .longest = batch->longest,
        .offsets = offsets,
        .tokens = batch->tokens + row,
        .types = batch->types != NULL ? batch->types + row : NULL,
        .positions = batch->positions != NULL ? batch->positions + row : NULL,
        .places = batch->places != NULL ? batch->places + row : NULL,
        .n_targets = find_target(batch, offsets[count]) - target,
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
