/* Batches and examples of a user's files. */
#include "core/memory.h"
#include "data/draw.h"
#include "data/private/dataset_parts.h"
#include "data/text/permute.h"

#include <string.h>

/* The examples of a window, sorted by length. */
typedef struct placed {
    int64_t index, length;
} placed;

struct hl_length_window {
    int64_t number; /* -1: none yet */
    placed examples[];
};

/* ---- batches ---- */

hl_status hl_dataset_text_storage(const hl_dataset *dataset, hl_batch_storage *storage)
{
    HL_TRY(dataset->sizes.types > 0 ? hl_batch_storage_take_types(storage) : hl_ok());
    HL_TRY(hl_text_reader_open(dataset->text, &storage->reader));
    if (dataset->window == 0) {
        return hl_ok();
    }
    size_t bytes = sizeof *storage->window + (size_t)dataset->window * sizeof(placed);
    storage->window = hl_malloc(bytes);
    if (storage->window == NULL) {
        return hl_error_memory("a window of examples");
    }
    storage->window->number = -1;
    return hl_ok();
}

static int by_length(const placed *x, const placed *y)
{
    int order = (x->length > y->length) - (x->length < y->length);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* Lets example i sink to its place in the heap of n. */
static void sink(placed *heap, int64_t i, int64_t n)
{
    for (int64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && by_length(&heap[child + 1], &heap[child]) > 0;
        if (by_length(&heap[i], &heap[child]) >= 0) {
            return;
        }
        placed parent = heap[i];
        heap[i] = heap[child];
        heap[child] = parent;
        i = child;
    }
}

/* By heap sort, as qsort may allocate. */
static void sort(placed *examples, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;) {
        sink(examples, i, n);
    }
    for (int64_t last = n; last-- > 1;) {
        placed longest = examples[0];
        examples[0] = examples[last];
        examples[last] = longest;
        sink(examples, 0, last);
    }
}

static hl_status sort_window(const hl_dataset *dataset, int64_t number, hl_batch_storage *storage)
{
    struct hl_length_window *window = storage->window;
    window->number = -1; /* none, where reading fails halfway */
    for (int64_t i = 0; i < dataset->window; i++) {
        hl_text_example example;
        int64_t index = number * dataset->window + i;
        HL_TRY(hl_text_data_read(storage->reader, HL_TRAIN, dataset->seed, index, &example));
        window->examples[i] = (placed){ index, example.n_tokens };
    }
    sort(window->examples, dataset->window);
    window->number = number;
    return hl_ok();
}

/* Which example of the data is number `index` of training. */
static hl_status find_index(const hl_dataset *dataset, int64_t index, hl_batch_storage *storage, int64_t *found)
{
    int64_t number = index / dataset->window, place = index % dataset->window;
    if (storage->window->number != number) {
        HL_TRY(sort_window(dataset, number, storage));
    }
    int64_t batches = dataset->window / dataset->in_batch;
    uint64_t seed = dataset->seed ^ hl_random_stream("batches by length");
    int64_t batch = hl_permute(seed, number, batches, place / dataset->in_batch);
    *found = storage->window->examples[batch * dataset->in_batch + place % dataset->in_batch].index;
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

/* The words of an example, counted without special tokens; a masked piece keeps the word that it was in. */
static void number_words(const hl_dataset *dataset, const hl_text_example *example, int32_t *words)
{
    const unsigned char *kinds = hl_vocabulary_kinds(dataset->vocabulary);
    int64_t next = 0, target = 0;
    int32_t word = -1;
    for (int32_t row = 0; row < example->n_tokens; row++) {
        bool begins = next < example->n_words && example->words[next] == row;
        bool is_target = target < example->n_targets && example->rows[target] == row;
        unsigned kind = kinds[example->tokens[row]];
        bool special = (kind & HL_TOKEN_SPECIAL) != 0 && !(is_target && (kind & HL_TOKEN_MASK) != 0);
        next += begins;
        target += is_target;
        word += begins && !special;
        words[row] = special ? -1 : word;
    }
}

static void write_example(const hl_dataset *dataset, const hl_text_example *example, int64_t e, hl_examples *into)
{
    int64_t T = into->n_tokens, at = e * T, n = example->n_tokens;
    for (int64_t t = 0; t < T; t++) {
        into->tokens[at + t] = t < n ? example->tokens[t] : HL_PAD;
        into->targets[at + t] = HL_IGNORE;
        into->sources[at + t] = t < n && example->sources != NULL ? example->sources[t] : HL_IGNORE;
        if (into->words != NULL) {
            into->words[at + t] = -1;
        }
        if (into->types != NULL) {
            into->types[at + t] = t < n && example->types != NULL ? example->types[t] : 0;
        }
    }
    for (int64_t i = 0; i < example->n_targets; i++) {
        into->targets[at + example->rows[i]] = example->ids[i] >= 0 ? example->ids[i] : HL_UNSEEN;
    }
    if (into->words != NULL) {
        number_words(dataset, example, into->words + at);
    }
    into->lengths[e] = (int32_t)n;
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
