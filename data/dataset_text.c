/* Batches and examples of a user's files. */
#include "core/base/memory.h"
#include "data/permute.h"
#include "data/private/dataset_parts.h"
#include "data/text/private/heap.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/word_forms.h"

#include <string.h>

/* The examples of a window, sorted by length. */
struct hl_length_window {
    int64_t number;  /* -1: none yet */
    int64_t *sorted; /* their indices; in the same block as the heap's entries */
    hl_heap heap;    /* used to sort them */
    hl_heap_entry entries[];
};

/* ---- batches ---- */

hl_status hl_dataset_text_storage(const hl_dataset *dataset, hl_batch_storage *storage)
{
    HL_TRY(dataset->sizes.types > 0 ? hl_batch_storage_take_types(storage) : hl_ok());
    HL_TRY(hl_text_reader_open(dataset->text, &storage->reader));
    if (dataset->window == 0) {
        return hl_ok();
    }
    size_t n = (size_t)dataset->window;
    struct hl_length_window *window =
        hl_malloc(sizeof *window + n * (sizeof *window->entries + sizeof *window->sorted));
    storage->window = window;
    HL_NEED(window != NULL, "a window of examples");
    window->number = -1;
    window->heap = (hl_heap){ .at = window->entries, .capacity = n };
    window->sorted = (int64_t *)(void *)(window->entries + n);
    return hl_ok();
}

/* If both have the same length, the one with the lower index comes first. */
static bool comes_first(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return a < b;
}

/* qsort may allocate; a heap with room does not. */
static hl_status sort_window(const hl_dataset *dataset, int64_t number, hl_batch_storage *storage)
{
    struct hl_length_window *window = storage->window;
    int64_t first = number * dataset->window, length;
    window->number = -1; /* none, in case reading fails halfway */
    window->heap.n = 0;
    for (int64_t i = 0; i < dataset->window; i++) {
        HL_TRY(hl_text_data_read_length(storage->reader, dataset->seed, first + i, &length));
        hl_heap_push(&window->heap, (hl_heap_entry){ length, (uint32_t)i }, comes_first, NULL);
    }
    for (int64_t i = 0; i < dataset->window; i++) {
        window->sorted[i] = first + hl_heap_pop(&window->heap, comes_first, NULL).number;
    }
    window->number = number;
    return hl_ok();
}

/* Finds the example of the data that is number `index` in training. */
static hl_status find_index(const hl_dataset *dataset, int64_t index, hl_batch_storage *storage, int64_t *found)
{
    int64_t number = index / dataset->window, place = index % dataset->window;
    if (storage->window->number != number) {
        HL_TRY(sort_window(dataset, number, storage));
    }
    int64_t batches = dataset->window / dataset->in_batch;
    uint64_t seed = dataset->seed ^ hl_random_stream("batches by length");
    int64_t batch = hl_permute(seed, number, batches, place / dataset->in_batch);
    *found = storage->window->sorted[batch * dataset->in_batch + place % dataset->in_batch];
    return hl_ok();
}

static hl_status add_example(const hl_text_example *example, hl_batch_storage *storage)
{
    hl_batch *batch = &storage->batch;
    int64_t first = batch->n_rows;
    HL_TRY(hl_batch_storage_add(storage, example->tokens, NULL, example->n_tokens));
    if (storage->types != NULL && example->types != NULL) {
        memcpy(storage->types + first, example->types, (size_t)example->n_tokens * sizeof *storage->types);
    }
    for (int64_t i = 0; i < example->n_targets; i++) {
        storage->target_rows[batch->n_targets] = (int32_t)(first + example->rows[i]);
        storage->target_ids[batch->n_targets++] = example->ids[i];
    }
    return hl_ok();
}

hl_status hl_dataset_text_fill(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t most_examples,
                               int64_t most_rows, hl_batch_storage *storage)
{
    if (storage->reader == NULL) {
        return hl_error(HL_INVALID, "a batch without memory for an example (hl_dataset_storage)");
    }
    hl_batch_storage_clear(storage);
    for (int64_t i = 0; i < most_examples; i++) {
        hl_text_example example;
        int64_t index = first_index + i;
        HL_TRY(split == HL_TRAIN && dataset->window > 0 ? find_index(dataset, index, storage, &index) : hl_ok());
        HL_TRY(hl_text_data_read(storage->reader, split, dataset->seed, index, &example));
        if (i > 0 && example.n_tokens > most_rows - storage->batch.n_rows) {
            break;
        }
        HL_TRY(add_example(&example, storage));
    }
    return hl_ok();
}

/* ---- examples ---- */

static void write_example(const hl_dataset *dataset, const hl_text_example *example, int64_t e, hl_examples *into)
{
    int64_t at = e * into->n_tokens;
    size_t bytes = (size_t)example->n_tokens * sizeof(int32_t);
    memcpy(into->tokens + at, example->tokens, bytes);
    if (example->sources != NULL) {
        memcpy(into->sources + at, example->sources, bytes);
    }
    if (into->types != NULL && example->types != NULL) {
        memcpy(into->types + at, example->types, bytes);
    }
    for (int64_t i = 0; i < example->n_targets; i++) {
        into->targets[at + example->rows[i]] = example->ids[i] >= 0 ? example->ids[i] : HL_UNSEEN;
    }
    if (into->words != NULL) {
        hl_word_forms_number(hl_vocabulary_kinds(dataset->vocabulary), example, into->words + at);
    }
    into->lengths[e] = (int32_t)example->n_tokens;
}

hl_status hl_dataset_text_examples(const hl_dataset *dataset, hl_split split, int64_t first_index, hl_examples *into)
{
    hl_text_reader *reader;
    HL_TRY(hl_text_reader_open(dataset->text, &reader));
    into->kinds = hl_vocabulary_kinds(dataset->vocabulary);
    hl_status status = hl_ok();
    for (int64_t e = 0; e < into->n_examples && status.code == HL_OK; e++) {
        hl_text_example example;
        status = hl_text_data_read(reader, split, dataset->seed, first_index + e, &example);
        if (status.code == HL_OK) {
            write_example(dataset, &example, e, into);
        }
    }
    hl_text_reader_close(reader);
    return status;
}
