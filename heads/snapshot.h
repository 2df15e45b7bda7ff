/* A snapshot: a file that a recorder wrote (heads/recorder.h), read and checked against its model; or what a recorder
 * holds. */
#ifndef HL_HEADS_SNAPSHOT_H
#define HL_HEADS_SNAPSHOT_H

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
    hl_examples examples;     /* E examples of T tokens, as recorded; these and the following are the npz's, or the
                                 recorder's */
    hl_patterns *layers;      /* head 0 of every layer, which stands for all heads of it in functions that measure whole
                              models; owned */
    hl_answers answers;       /* the model's, on the same examples */
    hl_validation_sums *sums; /* what the heads do on the whole validation set; NULL where it was not run at this step;
                              owned */
    hl_word_forms words;      /* what the words of text are, where hl_snapshot_find_words was called; owned */
    const hl_model_config *config; /* not owned */
    hl_npz npz;                    /* owned */
    hl_recorder *recorder;         /* of one that was never a file; owned */
} hl_snapshot;

/* Reads `path`. HL_BAD_FILE for a newer format, and "<path>: <array>: <what is wrong>" where it is no archive, an array
 * is missing or of another type or shape than the model's config says, a length is outside 1 .. T, an id outside 0 .. V
 * - 1 (of a target or an answer 0 .. C - 1), the largest answers are not in order or cannot be those of the other
 * numbers, or a weight or a statistic is not in its range (by more than 1e-3); a file that is larger than a snapshot of
 * such a model with `most_examples` can be is refused before it is read. HL_NO_MEMORY. `config` must outlive the
 * snapshot. On success ended by hl_snapshot_free. */
hl_status hl_snapshot_read(const char *path, const hl_model_config *config, int64_t most_examples,
                           hl_snapshot *snapshot);

/* The same over a snapshot that is there, or a zeroed one: it is freed, but for arrays whose memory the new one's take
 * (hl_npz_read_again, on so many threads). */
hl_status hl_snapshot_read_again(const char *path, const hl_model_config *config, int64_t most_examples, int threads,
                                 hl_snapshot *snapshot);

/* Tells a snapshot what its tokens are (by id, of the model's vocabulary; kinds must outlive it) and, where its
 * examples have words, finds which of these are the same, and by `data`, where it is not NULL, which are rare
 * (data/text/word_forms.h); these are taken from `like`, another snapshot or NULL, where it has the same examples.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_snapshot_find_words(hl_snapshot *snapshot, const unsigned char *kinds, const hl_tokens *tokens,
                                 const hl_text_data *data, const hl_snapshot *like);

/* A zeroed or already freed snapshot is allowed. */
void hl_snapshot_free(hl_snapshot *snapshot);

/* One head's patterns on all examples. Its arrays are the snapshot's. */
hl_patterns hl_snapshot_patterns(const hl_snapshot *snapshot, int layer, int64_t head);

HL_END_DECLS

#endif
