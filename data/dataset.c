#include "data/dataset.h"

#include "core/base/memory.h"
#include "data/private/dataset_parts.h"

#include <inttypes.h>
#include <string.h>

/* One sequence of tokens in 8, chosen by its content, belongs to validation, and all others to training. */
enum { VALIDATION_SHARE = 8 };

static hl_split split_of(const hl_dataset *dataset, hl_example example, int64_t n)
{
    uint64_t hash = (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        bool is_gap = dataset->task->has_gaps && example.tokens[i] == HL_MASK;
        hash = (hash ^ (uint64_t)(is_gap ? example.targets : example.tokens)[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash % VALIDATION_SHARE == 0 ? HL_VALIDATION : HL_TRAIN;
}

/* The random numbers for attempt `attempt` at example `index`. Each attempt has its own seed, so that neither an index
 * nor a long example runs out of positions. */
static hl_draw begin_draw(uint64_t seed, const char *stream, uint32_t attempt, uint64_t index)
{
    hl_random random = { .seed = seed, .stream = hl_random_stream(stream), .step = attempt };
    uint32_t words[4];
    hl_random_block(random, index, words);
    random.seed = (uint64_t)words[1] << 32 | words[0];
    return (hl_draw){ .random = random };
}

enum {
    SMALL_SIZE = 16, /* even two symbols make 65536 sequences of this size; longer ones need no probing */
    ATTEMPTS = 512,  /* with a split of 1/8 of the sequences, all attempts fail once in 10^29 times */
};

/* Checks that both splits have examples of that size. The seed is fixed, because whether a config is accepted must not
 * depend on its seed. */
static hl_status probe_size(const hl_dataset *dataset, int64_t size, hl_example scratch)
{
    bool seen[2] = { false, false };
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        hl_draw draw = begin_draw(0, "data probe", attempt, (uint64_t)size);
        hl_task_make(dataset->task, &dataset->spec, size, &draw, scratch);
        seen[split_of(dataset, scratch, hl_task_n_tokens(dataset->task, &dataset->spec, size))] = true;
        if (seen[HL_TRAIN] && seen[HL_VALIDATION]) {
            return hl_ok();
        }
    }
    return hl_error(HL_INVALID,
                    "task.symbols = %" PRId64 ": too few different examples of size %" PRId64
                    " for a validation set that shares none with training; raise task.symbols or task.%s",
                    dataset->spec.symbols, size, dataset->task->is_of_pairs ? "pairs" : "min_length");
}

/* Row b of a batch. */
static hl_example example_at(const hl_examples *batch, int64_t b)
{
    int64_t row = b * batch->n_tokens;
    hl_example example = { .tokens = batch->tokens + row,
                           .targets = batch->targets + row,
                           .sources = batch->sources + row };
    for (int64_t r = 0; r < batch->n_relations; r++) {
        example.relations[r] = batch->relations + (b * batch->n_relations + r) * batch->n_tokens;
    }
    return example;
}

static hl_status probe_sizes(const hl_dataset *dataset)
{
    hl_examples scratch;
    HL_TRY(hl_examples_allocate(1, dataset->sizes.longest, dataset->sizes.relations, &scratch));
    hl_example example = example_at(&scratch, 0);
    hl_task_sizes sizes = dataset->range;
    hl_status status = probe_size(dataset, sizes.smallest, example);
    for (int64_t size = sizes.smallest + 1; status.code == HL_OK && size <= sizes.largest && size <= SMALL_SIZE;
         size++) {
        status = probe_size(dataset, size, example);
    }
    hl_examples_free(&scratch);
    return status;
}

hl_status hl_dataset_open(const hl_task_spec *spec, uint64_t seed, hl_dataset **out)
{
    HL_TRY(hl_task_check(spec));
    hl_dataset *dataset = hl_calloc(1, sizeof *dataset);
    HL_NEED(dataset != NULL, "dataset");
    dataset->task = hl_task_find(spec->name);
    dataset->spec = *spec;
    dataset->spec.name = dataset->task->name;
    dataset->range = hl_task_range(dataset->task, spec);
    dataset->sizes = hl_task_sizes_of(spec);
    dataset->seed = seed;
    hl_status status = probe_sizes(dataset);
    HL_THEN(status, hl_task_vocabulary(&dataset->spec, &dataset->vocabulary));
    if (status.code != HL_OK) {
        hl_dataset_free(dataset);
        return status;
    }
    *out = dataset;
    return status;
}

void hl_dataset_free(hl_dataset *dataset)
{
    if (dataset != NULL) {
        hl_vocabulary_free(dataset->vocabulary);
        hl_vocabulary_free(dataset->labels);
        hl_text_data_close(dataset->text);
        hl_free(dataset);
    }
}

const hl_vocabulary *hl_dataset_vocabulary(const hl_dataset *dataset)
{
    return dataset->vocabulary;
}

const hl_vocabulary *hl_dataset_targets(const hl_dataset *dataset)
{
    return dataset->labels != NULL ? dataset->labels : dataset->vocabulary;
}

const hl_text_data *hl_dataset_text(const hl_dataset *dataset)
{
    return dataset->text;
}

const hl_data_sizes *hl_dataset_sizes(const hl_dataset *dataset)
{
    return &dataset->sizes;
}

const char *const *hl_dataset_relations(const hl_dataset *dataset)
{
    static const char *const none[] = { NULL };
    return dataset->task != NULL ? dataset->task->relations : none;
}

static hl_status check_range(const hl_dataset *dataset, hl_split split, int64_t first, int64_t count)
{
    if (split != HL_TRAIN && split != HL_VALIDATION) {
        return hl_error(HL_INVALID, "unknown split number %d", (int)split);
    }
    bool finite = dataset->text != NULL && split == HL_VALIDATION;
    int64_t end = finite ? dataset->sizes.examples[HL_VALIDATION] : (int64_t)1 << 56;
    if (first < 0 || count < 1 || count > end || first > end - count) {
        return hl_error(HL_INVALID, "%" PRId64 " examples from number %" PRId64 " on cannot be had", count, first);
    }
    return hl_ok();
}

static int64_t size_of(const hl_dataset *dataset, hl_split split, int64_t index)
{
    int64_t count = dataset->sizes.n_lengths;
    if (count == 1) {
        return dataset->range.smallest;
    }
    if (split == HL_VALIDATION) {
        /* If the count is even, each round starts one later. Otherwise every second example would have every second
         * length. */
        int64_t shift = count % 2 == 0 ? index / count : 0;
        return dataset->range.smallest + (index + shift) % count;
    }
    hl_random random = { .seed = dataset->seed, .stream = hl_random_stream("data train size") };
    return dataset->range.smallest + hl_random_below(random, (uint64_t)index, (uint32_t)count);
}

int64_t hl_dataset_longest(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t count)
{
    if (check_range(dataset, split, first_index, count).code != HL_OK) {
        return 0;
    }
    if (dataset->text != NULL) {
        return dataset->sizes.longest;
    }
    int64_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t size = size_of(dataset, split, first_index + i);
        largest = size > largest ? size : largest;
    }
    return hl_task_n_tokens(dataset->task, &dataset->spec, largest);
}

/* Draws the example again until it is in its split; probe_sizes has checked that this ends. Returns its length. */
static int64_t make_example(const hl_dataset *dataset, hl_split split, int64_t index, hl_example example)
{
    int64_t size = size_of(dataset, split, index);
    int64_t length = hl_task_n_tokens(dataset->task, &dataset->spec, size);
    const char *stream = split == HL_TRAIN ? "data train" : "data validation";
    for (uint32_t attempt = 0;; attempt++) {
        hl_draw draw = begin_draw(dataset->seed, stream, attempt, (uint64_t)index);
        hl_task_make(dataset->task, &dataset->spec, size, &draw, example);
        if (split_of(dataset, example, length) == split) {
            return length;
        }
    }
}

/* Fills all arrays with what stands past an example's end. */
static void pad_all(hl_examples *batch)
{
    size_t bytes = (size_t)(batch->n_examples * batch->n_tokens) * sizeof(int32_t);
    memset(batch->tokens, HL_PAD, bytes);
    memset(batch->targets, HL_IGNORE, bytes); /* every byte of -1 is -1 */
    memset(batch->sources, HL_IGNORE, bytes);
    if (batch->relations != NULL) {
        memset(batch->relations, HL_IGNORE, (size_t)batch->n_relations * bytes);
    }
    if (batch->words != NULL) {
        memset(batch->words, HL_IGNORE, bytes);
    }
    if (batch->types != NULL) {
        memset(batch->types, 0, bytes);
    }
}

hl_status hl_dataset_examples(const hl_dataset *dataset, hl_split split, int64_t first_index, hl_examples *into)
{
    int64_t T = into->n_tokens, R = dataset->sizes.relations;
    HL_TRY(check_range(dataset, split, first_index, into->n_examples));
    if (into->tokens == NULL || into->targets == NULL || into->sources == NULL || into->lengths == NULL ||
        (into->relations == NULL && R > 0)) {
        return hl_error(HL_INVALID, "a batch without memory for its examples (hl_examples_allocate)");
    }
    if (into->n_relations != R) {
        return hl_error(HL_INVALID, "a batch for %" PRId64 " relations, where the task states %" PRId64,
                        into->n_relations, R);
    }
    int64_t longest = hl_dataset_longest(dataset, split, first_index, into->n_examples);
    if (longest > T) {
        return hl_error(HL_INVALID, "a batch of %" PRId64 " tokens has no room for an example of %" PRId64, T, longest);
    }
    pad_all(into);
    if (dataset->text != NULL) {
        return hl_dataset_text_examples(dataset, split, first_index, into);
    }
    for (int64_t b = 0; b < into->n_examples; b++) {
        hl_example example = example_at(into, b);
        into->lengths[b] = (int32_t)make_example(dataset, split, first_index + b, example);
    }
    return hl_ok();
}

hl_status hl_dataset_make_examples(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t count,
                                   hl_examples *made)
{
    const hl_data_sizes *sizes = &dataset->sizes;
    HL_TRY(sizes->words ? hl_examples_allocate_text(count, sizes->longest, sizes->types > 0, made)
                        : hl_examples_allocate(count, sizes->longest, sizes->relations, made));
    hl_status status = hl_dataset_examples(dataset, split, first_index, made);
    if (status.code != HL_OK) {
        hl_examples_free(made);
    }
    return status;
}

hl_status hl_dataset_storage(const hl_dataset *dataset, int64_t n_examples, int64_t n_rows, int64_t max_length,
                             hl_batch_storage *storage)
{
    const hl_data_sizes *sizes = &dataset->sizes;
    HL_TRY(hl_batch_storage_init(storage, n_examples, n_rows, max_length));
    hl_status status = dataset->text != NULL
                           ? hl_dataset_text_storage(dataset, storage)
                           : hl_examples_allocate(1, sizes->longest, sizes->relations, &storage->example);
    if (status.code != HL_OK) {
        hl_batch_storage_free(storage);
    }
    return status;
}

hl_status hl_dataset_fill(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t most_examples,
                          int64_t most_rows, hl_batch_storage *storage)
{
    HL_TRY(check_range(dataset, split, first_index, most_examples));
    if (dataset->text != NULL) {
        return hl_dataset_text_fill(dataset, split, first_index, most_examples, most_rows, storage);
    }
    if (storage->example.tokens == NULL || storage->example.n_tokens < dataset->sizes.longest) {
        return hl_error(HL_INVALID, "a batch without memory for an example (hl_dataset_storage)");
    }
    hl_example example = example_at(&storage->example, 0);
    hl_batch_storage_clear(storage);
    for (int64_t i = 0; i < most_examples; i++) {
        int64_t length = hl_task_n_tokens(dataset->task, &dataset->spec, size_of(dataset, split, first_index + i));
        if (i > 0 && length > most_rows - storage->batch.n_rows) {
            break;
        }
        make_example(dataset, split, first_index + i, example);
        HL_TRY(hl_batch_storage_add(storage, example.tokens, example.targets, length));
    }
    return hl_ok();
}

hl_status hl_dataset_batch(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t count,
                           hl_batch_storage *storage)
{
    return hl_dataset_fill(dataset, split, first_index, count, INT64_MAX, storage);
}
