/* A snapshot: a file that a recorder wrote (heads/recorder.h), read and checked against its model; or the content of a
 * recorder. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "core/files/npz.h"
#include "data/text/word_forms.h"
#include "heads/answers.h"
#include "heads/pattern.h"
#include "heads/recorder.h"
#include "heads/validation_sums.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_snapshot {
    int64_t step;
    hl_examples examples;     /* E examples of T tokens, as recorded; their arrays and the following belong to the npz
                                 or to the recorder */
    hl_patterns *layers;      /* head 0 of every layer; it stands for all heads of the layer in functions that measure
                                 whole models; owned */
    hl_answers answers;       /* the model's answers on the same examples */
    hl_validation_sums *sums; /* what the heads do on the whole validation set; NULL if it was not run at this step;
                                 owned */
    hl_word_forms words;      /* what the words of a text are, if hl_snapshot_find_words was called; owned */
    const hl_model_config *config; /* not owned */
    hl_npz npz;                    /* owned */
    hl_recorder *recorder;         /* for a snapshot that was never a file; owned */
} hl_snapshot;

/* Reads `path`. HL_BAD_FILE if the format is newer. HL_BAD_FILE "<path>: <array>: <what is wrong>" if:
 *   the file is no archive, or an array is missing or has another type or shape than the model's config requires;
 *   a length is outside 1 .. T, or an id is outside 0 .. V - 1 (for a target or an answer: 0 .. C - 1);
 *   the largest answers are not in order, or do not agree with the other numbers;
 *   a weight or a statistic is outside its range by more than 1e-3.
 * A file larger than a snapshot of such a model with `most_examples` can be is rejected before it is read.
 * HL_NO_MEMORY. `config` must outlive the snapshot. On success free with hl_snapshot_free. */
hl_status hl_snapshot_read(const char *path, const hl_model_config *config, int64_t most_examples,
                           hl_snapshot *snapshot);

/* The same, over an existing snapshot or a zeroed one. The old snapshot is freed, except for arrays whose memory the
 * new one reuses (hl_npz_read_again, on `threads` threads). */
hl_status hl_snapshot_read_again(const char *path, const hl_model_config *config, int64_t most_examples, int threads,
                                 hl_snapshot *snapshot);

/* Sets what the snapshot's tokens are: `kinds`, by id in the model's vocabulary, must outlive the snapshot. If its
 * examples have words, finds which of these are the same and, if `data` is not NULL, which of them are rare
 * (data/text/word_forms.h). `like` is another snapshot or NULL; if it has the same examples, the rare words are taken
 * from it. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_snapshot_find_words(hl_snapshot *snapshot, const unsigned char *kinds, const hl_tokens *tokens,
                                 const hl_text_data *data, const hl_snapshot *like);

/* A zeroed or already freed snapshot is allowed. */
void hl_snapshot_free(hl_snapshot *snapshot);

/* One head's patterns on all examples. The arrays belong to the snapshot. */
hl_patterns hl_snapshot_patterns(const hl_snapshot *snapshot, int layer, int64_t head);

HL_END_DECLS
