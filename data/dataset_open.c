/* Opens the dataset of a user's files. */
#include "core/base/memory.h"
#include "data/private/dataset_parts.h"
#include "data/text/private/text_data_parts.h"

/* Makes a dataset of the text, which becomes its own, also on failure. */
static hl_status make(hl_text_data *text, hl_data_sizes sizes, uint64_t seed, hl_dataset **out)
{
    hl_dataset *dataset = hl_calloc(1, sizeof *dataset);
    if (dataset == NULL) {
        hl_text_data_close(text);
        return hl_error_memory("dataset");
    }
    *dataset = (hl_dataset){ .sizes = sizes, .seed = seed, .text = text };
    const hl_tokens *tokens = hl_text_data_tokens(text), *targets = hl_text_data_targets(text);
    hl_status status = hl_vocabulary_of_tokens(tokens, &dataset->vocabulary);
    HL_THEN(status, targets != tokens ? hl_vocabulary_of_tokens(targets, &dataset->labels) : hl_ok());
    HL_THEN(status, sizes.examples[HL_TRAIN] > 0 ? hl_text_data_mean_length(text, &dataset->sizes.mean) : hl_ok());
    if (status.code != HL_OK) {
        hl_dataset_free(dataset);
        return status;
    }
    dataset->sizes.vocabulary = hl_vocabulary_size(dataset->vocabulary);
    dataset->sizes.targets = hl_vocabulary_size(hl_dataset_targets(dataset));
    *out = dataset;
    return status;
}

hl_status hl_dataset_open_text(const hl_text_spec *spec, uint64_t seed, hl_dataset **out)
{
    hl_text_data *text;
    HL_TRY(hl_text_data_open(spec, &text));
    int64_t train = hl_text_data_longest(text, HL_TRAIN), validation = hl_text_data_longest(text, HL_VALIDATION);
    int64_t longest = train > validation ? train : validation;
    hl_data_sizes sizes = {
        .longest = longest,
        .answers = hl_text_data_most_targets(text, longest),
        .n_lengths = hl_text_spec_is_running(spec) ? 1 : longest,
        .types = hl_text_spec_is_pair(spec) ? 2 : 0,
        .examples = { hl_text_data_examples(text, HL_TRAIN), hl_text_data_examples(text, HL_VALIDATION) },
        .words = spec->task != HL_TEXT_FILE,
        .pooled = spec->task == HL_TEXT_CLASSES,
    };
    return make(text, sizes, seed, out);
}

hl_status hl_dataset_open_others(const hl_text_spec *spec, const hl_dataset *of, bool written, hl_dataset **out)
{
    hl_text_data *text;
    HL_TRY(hl_text_data_open_others(spec, of->text, written, &text));
    hl_data_sizes sizes = of->sizes;
    sizes.examples[HL_TRAIN] = 0;
    sizes.examples[HL_VALIDATION] = hl_text_data_examples(text, HL_VALIDATION);
    sizes.longest = hl_text_data_longest(text, HL_VALIDATION);
    return make(text, sizes, of->seed, out);
}

hl_status hl_dataset_of_tokens(hl_text_task task, hl_tokens *tokens, hl_tokens *labels, int64_t longest, int types,
                               uint64_t seed, hl_dataset **out)
{
    hl_text_data *text;
    HL_TRY(hl_text_data_of_tokens(task, tokens, labels, &text));
    hl_data_sizes sizes = { .longest = longest,
                            .answers = longest,
                            .n_lengths = longest,
                            .types = types,
                            .words = task != HL_TEXT_FILE,
                            .pooled = task == HL_TEXT_CLASSES };
    return make(text, sizes, seed, out);
}

void hl_dataset_set_window(hl_dataset *dataset, int64_t window, int64_t batch)
{
    dataset->window = window;
    dataset->in_batch = batch;
}
