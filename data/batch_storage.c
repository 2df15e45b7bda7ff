#include "data/batch_storage.h"

#include "core/base/memory.h"
#include "data/examples_storage.h"
#include "data/text/text_data.h"

#include <inttypes.h>
#include <string.h>

/* Per row: its number in `places`, its token and position, and a target's row and id. Per example: its offset. */
size_t hl_batch_storage_bytes(int64_t n_examples, int64_t n_rows)
{
    bool possible = n_examples >= 1 && n_rows >= 1 && n_rows <= INT32_MAX;
    size_t rows = hl_size_product((size_t)n_rows, sizeof(int64_t) + 4 * sizeof(int32_t));
    return possible ? hl_size_sum(rows, hl_size_product((size_t)n_examples + 1, sizeof(int32_t))) : SIZE_MAX;
}

hl_status hl_batch_storage_init(hl_batch_storage *storage, int64_t n_examples, int64_t n_rows, int64_t max_length)
{
    *storage = (hl_batch_storage){ 0 };
    size_t bytes = hl_batch_storage_bytes(n_examples, n_rows);
    if (bytes == SIZE_MAX || max_length < 1) {
        return hl_error(HL_INVALID, "a batch of %" PRId64 " examples of %" PRId64 " tokens together cannot be",
                        n_examples, n_rows);
    }
    int64_t *places = hl_calloc(bytes, 1);
    HL_NEED(places != NULL, "a batch");
    int32_t *next = (int32_t *)(places + n_rows);
    *storage = (hl_batch_storage){
        .n_examples = n_examples,
        .n_rows = n_rows,
        .max_length = max_length,
        .places = places,
        .tokens = next,
        .positions = next + n_rows,
        .target_rows = next + 2 * n_rows,
        .target_ids = next + 3 * n_rows,
        .offsets = next + 4 * n_rows,
    };
    storage->batch = (hl_batch){
        .offsets = storage->offsets,
        .tokens = storage->tokens,
        .positions = storage->positions,
        .places = storage->places,
        .target_rows = storage->target_rows,
        .target_ids = storage->target_ids,
    };
    return hl_ok();
}

hl_status hl_batch_storage_take_types(hl_batch_storage *storage)
{
    storage->types = hl_calloc((size_t)storage->n_rows, sizeof *storage->types);
    storage->batch.types = storage->types;
    return storage->types != NULL ? hl_ok() : hl_error_memory("a batch");
}

void hl_batch_storage_free(hl_batch_storage *storage)
{
    hl_examples_free(&storage->example);
    hl_free(storage->types);
    hl_text_reader_close(storage->reader);
    hl_free(storage->window);
    hl_free(storage->places);
    *storage = (hl_batch_storage){ 0 };
}

void hl_batch_storage_clear(hl_batch_storage *storage)
{
    hl_batch *batch = &storage->batch;
    batch->n_examples = batch->n_rows = batch->longest = batch->n_targets = 0;
}

hl_status hl_batch_storage_add(hl_batch_storage *storage, const int32_t *tokens, const int32_t *targets, int64_t length)
{
    hl_batch *batch = &storage->batch;
    if (length < 1 || length > storage->max_length) {
        return hl_error(HL_INVALID, "an example of %" PRId64 " tokens is not in 1 .. %" PRId64 " (max_length)", length,
                        storage->max_length);
    }
    if (batch->n_examples == storage->n_examples || length > storage->n_rows - batch->n_rows) {
        return hl_error(HL_INVALID,
                        "a batch of %" PRId64 " examples and %" PRId64 " tokens has no room for one of %" PRId64
                        " more",
                        batch->n_examples, batch->n_rows, length);
    }
    if (tokens == NULL) {
        return hl_error(HL_INVALID, "an example's tokens are NULL");
    }
    int64_t first = batch->n_rows, place = batch->n_examples * storage->max_length;
    memcpy(storage->tokens + first, tokens, (size_t)length * sizeof *tokens);
    if (storage->types != NULL) {
        memset(storage->types + first, 0, (size_t)length * sizeof *storage->types);
    }
    for (int64_t t = 0; t < length; t++) {
        storage->positions[first + t] = (int32_t)t;
        storage->places[first + t] = place + t;
        if (targets != NULL && targets[t] != HL_IGNORE) {
            storage->target_rows[batch->n_targets] = (int32_t)(first + t);
            storage->target_ids[batch->n_targets++] = targets[t] != HL_UNSEEN ? targets[t] : HL_IGNORE;
        }
    }
    batch->n_examples++;
    batch->n_rows += length;
    batch->longest = length > batch->longest ? length : batch->longest;
    storage->offsets[batch->n_examples] = (int32_t)batch->n_rows;
    return hl_ok();
}

hl_status hl_batch_storage_add_example(hl_batch_storage *storage, const hl_examples *examples, int64_t e)
{
    int64_t at = e * examples->n_tokens, length = examples->lengths[e];
    const int32_t *targets = examples->targets != NULL ? examples->targets + at : NULL;
    HL_TRY(hl_batch_storage_add(storage, examples->tokens + at, targets, length));
    if (storage->types != NULL && examples->types != NULL) {
        memcpy(storage->types + storage->batch.n_rows - length, examples->types + at,
               (size_t)length * sizeof *storage->types);
    }
    return hl_ok();
}

hl_status hl_batch_pack(hl_batch_storage *storage, const hl_examples *examples, int64_t first, int64_t count)
{
    hl_batch_storage_clear(storage);
    for (int64_t e = first; e < first + count; e++) {
        HL_TRY(hl_batch_storage_add_example(storage, examples, e));
    }
    return hl_ok();
}

hl_status hl_batch_storage_of(hl_batch_storage *storage, const hl_examples *examples, int64_t max_length)
{
    HL_TRY(hl_batch_storage_init(storage, examples->n_examples, hl_examples_real_tokens(examples), max_length));
    hl_status status = examples->types != NULL ? hl_batch_storage_take_types(storage) : hl_ok();
    HL_THEN(status, hl_batch_pack(storage, examples, 0, examples->n_examples));
    return status;
}
