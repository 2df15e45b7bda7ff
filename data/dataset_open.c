/* Opens the dataset of a user's files. */
#include "core/base/memory.h"
#include "data/private/dataset_parts.h"
#include "data/text/private/text_data_parts.h"

static hl_status set_vocabularies(const hl_tokens *tokens, const hl_tokens *labels, hl_dataset *dataset)
{
    HL_TRY(hl_vocabulary_of_tokens(tokens, &dataset->vocabulary));
    HL_TRY(labels != NULL ? hl_vocabulary_of_tokens(labels, &dataset->labels) : hl_ok());
    dataset->sizes.vocabulary = hl_vocabulary_size(dataset->vocabulary);
    dataset->sizes.targets = hl_vocabulary_size(hl_dataset_targets(dataset));
    return hl_ok();
}

static hl_status open_text(const hl_text_spec *spec, hl_dataset *dataset)
{
    HL_TRY(hl_text_data_open(spec, &dataset->text));
    const hl_text_data *text = dataset->text;
    int64_t train = hl_text_data_longest(text, HL_TRAIN), validation = hl_text_data_longest(text, HL_VALIDATION);
    bool pair = hl_text_spec_is_pair(spec);
    int64_t longest = train > validation ? train : validation;
    dataset->sizes = (hl_data_sizes){
        .longest = longest,
        .answers = hl_text_data_most_targets(text, longest),
        .n_lengths = hl_text_spec_is_running(spec) ? 1 : longest,
        .types = pair ? 2 : 0,
        .examples = { hl_text_data_examples(text, HL_TRAIN), hl_text_data_examples(text, HL_VALIDATION) },
        .words = spec->task != HL_TEXT_FILE,
        .pooled = spec->task == HL_TEXT_CLASSES,
    };
    HL_TRY(hl_text_data_mean_length(text, &dataset->sizes.mean));
    const hl_tokens *tokens = hl_text_data_tokens(text), *targets = hl_text_data_targets(text);
    return set_vocabularies(tokens, targets != tokens ? targets : NULL, dataset);
}

hl_status hl_dataset_open_text(const hl_text_spec *spec, uint64_t seed, hl_dataset **out)
{
    hl_dataset *dataset = hl_calloc(1, sizeof *dataset);
    HL_NEED(dataset != NULL, "dataset");
    dataset->seed = seed;
    hl_status status = open_text(spec, dataset);
    if (status.code != HL_OK) {
        hl_dataset_free(dataset);
        return status;
    }
    *out = dataset;
    return status;
}

static hl_status open_others(const hl_text_spec *spec, const hl_dataset *of, bool written, hl_dataset *dataset)
{
    HL_TRY(hl_text_data_open_others(spec, of->text, written, &dataset->text));
    dataset->sizes.examples[HL_TRAIN] = 0;
    dataset->sizes.examples[HL_VALIDATION] = hl_text_data_examples(dataset->text, HL_VALIDATION);
    dataset->sizes.longest = hl_text_data_longest(dataset->text, HL_VALIDATION);
    const hl_tokens *tokens = hl_text_data_tokens(dataset->text), *targets = hl_text_data_targets(dataset->text);
    return set_vocabularies(tokens, targets != tokens ? targets : NULL, dataset);
}

hl_status hl_dataset_open_others(const hl_text_spec *spec, const hl_dataset *of, bool written, hl_dataset **out)
{
    hl_dataset *dataset = hl_calloc(1, sizeof *dataset);
    HL_NEED(dataset != NULL, "dataset");
    dataset->seed = of->seed;
    dataset->sizes = of->sizes;
    hl_status status = open_others(spec, of, written, dataset);
    if (status.code != HL_OK) {
        hl_dataset_free(dataset);
        return status;
    }
    *out = dataset;
    return status;
}

hl_status hl_dataset_of_tokens(hl_text_task task, hl_tokens *tokens, hl_tokens *labels, int64_t longest, int types,
                               uint64_t seed, hl_dataset **out)
{
    hl_text_data *text;
    HL_TRY(hl_text_data_of_tokens(task, tokens, labels, &text));
    hl_dataset *dataset = hl_calloc(1, sizeof *dataset);
    if (dataset == NULL) {
        hl_text_data_close(text);
        return hl_error_memory("dataset");
    }
    dataset->sizes = (hl_data_sizes){ .longest = longest,
                                      .answers = longest,
                                      .n_lengths = longest,
                                      .types = types,
                                      .words = task != HL_TEXT_FILE,
                                      .pooled = task == HL_TEXT_CLASSES };
    dataset->seed = seed;
    dataset->text = text;
    hl_status status = set_vocabularies(tokens, labels, dataset);
    if (status.code != HL_OK) {
        hl_dataset_free(dataset);
        return status;
    }
    *out = dataset;
    return status;
}

void hl_dataset_set_window(hl_dataset *dataset, int64_t window, int64_t batch)
{
    dataset->window = window;
    dataset->in_batch = batch;
}
