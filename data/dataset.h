/* The examples of a toy task, or of a user's files, by index, for training and validation.
 *
 * An example is a pure function of (data, seed, split, index). Nothing is kept between calls. So any index can be read
 * at any time, alone or with others, from any number of threads. data/text/text_data.h describes the examples of files.
 * In a toy task, training examples have random lengths. Validation examples come in rounds of n_lengths
 * (hl_dataset_sizes), and each round goes through all lengths: the first k rounds hold each length k times. In any two
 * successive rounds, the even-numbered examples hold each length once, and so do the odd-numbered ones. No token
 * sequence is ever in both splits, for any seed. If masks replace words, no sentence is in both, no matter which words
 * are masked.
 *
 *     hl_dataset *dataset;
 *     HL_TRY(hl_dataset_open(&spec, seed, &dataset));
 *     HL_TRY(hl_dataset_storage(dataset, 64, 64 * hl_dataset_sizes(dataset)->longest, max_length, &storage));
 *     HL_TRY(hl_dataset_batch(dataset, HL_TRAIN, step * 64, 64, &storage)); // storage.batch: for a model */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/batch_storage.h"
#include "data/examples_storage.h"
#include "data/task.h"
#include "data/text/text_data.h"
#include "data/vocabulary.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_dataset hl_dataset;

/* Opens the dataset of a task. The spec is copied. HL_INVALID: hl_task_check refuses the spec, or it allows too few
 * different examples for two disjoint splits; HL_NO_MEMORY. After success the caller owns *out: hl_dataset_free. */
hl_status hl_dataset_open(const hl_task_spec *spec, uint64_t seed, hl_dataset **out);

/* Opens the dataset of a user's files. Fails as hl_text_data_open. After success as above. */
hl_status hl_dataset_open_text(const hl_text_spec *spec, uint64_t seed, hl_dataset **out);

/* Opens the examples of spec.file, as validation only, read in the same way as the dataset `of`, which must outlive
 * them. `written`: to look at; otherwise to score a model on (data/text/private/text_data_parts.h). Fails as
 * hl_text_data_open. */
hl_status hl_dataset_open_others(const hl_text_spec *spec, const hl_dataset *of, bool written, hl_dataset **out);

/* The same without examples, for a model that will answer for up to `longest` tokens of `types` types (0: none).
 * tokens, and labels or NULL, become the dataset's, also on failure. `seed`: for examples that hl_dataset_open_others
 * opens with this dataset. HL_NO_MEMORY. */
hl_status hl_dataset_of_tokens(hl_text_task task, hl_tokens *tokens, hl_tokens *labels, int64_t longest, int types,
                               uint64_t seed, hl_dataset **out);

void hl_dataset_free(hl_dataset *dataset); /* NULL is allowed */

/* From now on, each window of `window` training examples of text is sorted by length, stably, and cut into batches of
 * `batch` examples. The seed chooses the order of the batches. `window` is a multiple of `batch`. hl_dataset_batch must
 * then ask for exactly these batches. It affects storage that is made afterwards. */
void hl_dataset_set_window(hl_dataset *dataset, int64_t window, int64_t batch);

/* The dataset's tokens, owned by it. _targets: what targets name: labels for tags and classes, otherwise the tokens. */
const hl_vocabulary *hl_dataset_vocabulary(const hl_dataset *dataset);
const hl_vocabulary *hl_dataset_targets(const hl_dataset *dataset);

const hl_data_sizes *hl_dataset_sizes(const hl_dataset *dataset);

/* The opened files, owned by the dataset; NULL for a toy task, or if no files are open. */
const hl_text_data *hl_dataset_text(const hl_dataset *dataset);

/* The names of all relations that the task defines; NULL after the last. */
const char *const *hl_dataset_relations(const hl_dataset *dataset);

/* The length of the longest example among first_index ... first_index + count - 1 (for text: among all). Returns 0 if
 * there are none (an unknown split, count below 1, numbers outside 0 .. 2^56 - 1). */
int64_t hl_dataset_longest(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t count);

/* Fills all into->n_examples rows with the examples first_index, first_index + 1, ..., padded to into->n_tokens, which
 * is at least the longest length. into->n_relations must equal the dataset's. Requires 0 <= first_index, and every
 * index below 2^56, or for the validation of a text, below its number of examples. HL_INVALID otherwise, and for an
 * unknown split or a batch without memory; the batch is then unchanged. HL_BAD_FILE, HL_NO_MEMORY if a text cannot be
 * read. */
hl_status hl_dataset_examples(const hl_dataset *dataset, hl_split split, int64_t first_index, hl_examples *into);

/* The same in new memory, with the length of the longest example: hl_examples_free. Fails as above, and with
 * HL_NO_MEMORY. */
hl_status hl_dataset_make_examples(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t count,
                                   hl_examples *made);

/* Allocates memory for a batch of up to n_examples of the dataset with n_rows tokens, for a model of the given greatest
 * length. Fails as hl_batch_storage_init. */
hl_status hl_dataset_storage(const hl_dataset *dataset, int64_t n_examples, int64_t n_rows, int64_t max_length,
                             hl_batch_storage *storage);

/* Makes the batch of `count` examples from first_index on, in memory from hl_dataset_storage. Allocates nothing. Fails
 * as hl_dataset_examples, or if they do not fit. */
hl_status hl_dataset_batch(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t count,
                           hl_batch_storage *storage);

/* The same for at most `most_examples` examples that have at most `most_rows` tokens together; at least one example. */
hl_status hl_dataset_fill(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t most_examples,
                          int64_t most_rows, hl_batch_storage *storage);

HL_END_DECLS
