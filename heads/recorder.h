/* Records what every head attends to on the same examples at several steps of a training run.
 *
 *     hl_recorder recorder;
 *     HL_TRY(hl_recorder_init(&recorder, &model, &examples, 4096, threads, "runs/copy_task/patterns"));
 *     HL_TRY(hl_recorder_record(&recorder, step, NULL, &arena)); // patterns/step_000500.npz
 *     hl_patterns head = hl_recorder_patterns(&recorder, 0, 3);         // L0H3, for metrics
 *
 * Recording runs the model without gradients and dropout, on a tape of its own, and reads nothing but parameters: a
 * training that is recorded has the same bits as one that is not. A recorder is set up once and then allocates nothing
 * of its own; only writing the file takes a little memory. */
#ifndef HL_HEADS_RECORDER_H
#define HL_HEADS_RECORDER_H

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/batch_storage.h"
#include "heads/answers.h"
#include "heads/pattern.h"
#include "heads/validation_sums.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What `format` says in a snapshot at most; counts on where an array changes its meaning. Each file says the least that
 * describes it: 2 where it holds words, types, or no `logits`, else 1; one that says nothing is of format 1. */
enum { HL_SNAPSHOT_FORMAT = 2 };

typedef struct hl_recorder {
    const hl_model *model;    /* not owned */
    hl_examples examples;     /* E examples of T tokens, owned, as all below */
    hl_batch_storage storage; /* the same as the model reads them */
    int64_t rows;             /* of them, that the model is run on at once */
    bool sparse;              /* not all logits are kept (heads/answers.h) */
    int threads;
    hl_tape_plan plan;                              /* of a pass: plan.bytes of arena */
    hl_real *numbers;                               /* the block that holds what follows */
    hl_real *weights[HL_MAX_LAYERS];                /* of each layer, (E, H, T, T), zero past the lengths */
    hl_real *logits;                                /* (E, T, C), zero past the lengths, of a model that takes
                                        the mean of each example but for its first row; sparse: NULL, and instead */
    int32_t *top_ids;                               /* (E, T, K), a block of its own */
    hl_real *top_logits, *target_logits, *log_sums; /* (E, T, K), (E, T), (E, T) */
    hl_head_probe *probes;                          /* (L): copy the weights out of a pass, */
    hl_head_weights *copies;                        /* (L): to where they are kept */
    char *path;                                     /* the folder, followed by memory for a file's name */
    size_t folder_length;

    /* Set after hl_recorder_init by who wants to know how many of the examples are done; what it fails with ends the
     * recording. NULL: nobody does. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
    hl_status ended; /* by the progress */
} hl_recorder;

/* The bytes that one snapshot of E examples of T tokens with R relations, words and types counted as such, takes
 * without validation sums, on disk at most, and in the recorder's memory to within a few KiB. SIZE_MAX where they do
 * not fit. */
size_t hl_recorder_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations);

/* The most bytes of its file with the validation sums of examples of up to T tokens. SIZE_MAX where they do not fit. */
size_t hl_recorder_file_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations);

/* The bytes of arena that a recording of examples of up to n_tokens takes, with up to `rows` rows at once; the model
 * needs no numbers. HL_INVALID where examples are too long for the model, or there are no rows; HL_NO_MEMORY. */
hl_status hl_recorder_pass_bytes(const hl_model *model, int64_t rows, int64_t n_tokens, int threads, size_t *bytes);

/* Copies the examples (at least one), cut to T = the longest length among them, and makes the folder. The model must
 * outlive the recorder; its parameters may change. `rows`, at least 1, bounds the memory of a recording, which runs the
 * model on so many at once, or on as many as have HL_ANSWERS_LOGITS logits, or on one example; other numbers may change
 * the last bits of what is recorded, as matrix products of other shapes round differently; `threads` change none. Where
 * logits are not all kept, the output layer runs on the rows that have a target, or where none has, on all. A model
 * that pools (any pooling but HL_POOLING_ROWS) gives one answer an example, which stands in its first row. `folder`:
 * NULL where nothing will be written (hl_recorder_run alone). HL_INVALID (no examples, too long ones, no rows, sizes
 * that cannot be), HL_NO_MEMORY, HL_BAD_FILE (the folder). On failure the recorder is empty; else it is ended by
 * hl_recorder_free. */
hl_status hl_recorder_init(hl_recorder *recorder, const hl_model *model, const hl_examples *examples, int64_t rows,
                           int threads, const char *folder);

/* Of an initialised recorder, before it has run: the output layer runs on no row without a target, also where none has
 * one. HL_NO_MEMORY. */
hl_status hl_recorder_answer_targets_alone(hl_recorder *recorder);

/* A zeroed or already freed recorder is allowed. */
void hl_recorder_free(hl_recorder *recorder);

/* Runs the model on the examples and fills weights and logits; nothing is written. Leaves the arena as it was.
 * HL_NO_MEMORY (the arena has less left than planned, too), and what the progress fails with: the buffers then hold
 * what was recorded so far. */
hl_status hl_recorder_run(hl_recorder *recorder, hl_arena *arena);

/* The same, and writes "<folder>/step_<step, six digits>.npz" (not waiting for the disk): layer_0, layer_1, ... (E, H,
 * T, T), tokens, targets, source (E, T) int32, lengths (E) int32, step and format int64, logits (E, T, C), or where
 * they are too many top_ids int32, top_logits, target_logits and log_sums (heads/answers.h), and, where the task states
 * relations, `relations` (E, R, T) int32, where the examples have them words and types (E, T) int32; weights and logits
 * float32 (float64 in the double library); and where `sums` of the whole validation set at this step are given (else
 * NULL), their arrays all_* (heads/private/validation_sums_file.h). step >= 0. Fails as above; HL_BAD_FILE: the file
 * then is what it was; HL_INVALID: a recorder without a folder, a negative step. */
hl_status hl_recorder_record(hl_recorder *recorder, int64_t step, const hl_validation_sums *sums, hl_arena *arena);

/* The model's answers, as last recorded. Its arrays are the recorder's. */
hl_answers hl_recorder_answers(const hl_recorder *recorder);

/* One head's patterns on all examples, as last recorded. Its arrays are the recorder's. */
hl_patterns hl_recorder_patterns(const hl_recorder *recorder, int layer, int64_t head);

HL_END_DECLS

#endif
