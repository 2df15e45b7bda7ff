/* Records what every head attends to on the same examples at several steps of a training run.
 *
 *     hl_recorder recorder;
 *     HL_TRY(hl_recorder_init(&recorder, &model, &examples, 4096, threads, "runs/copy_task/patterns"));
 *     HL_TRY(hl_recorder_record(&recorder, step, NULL, &arena)); // patterns/step_000500.npz
 *     hl_patterns head = hl_recorder_patterns(&recorder, 0, 3);         // L0H3, for metrics
 *
 * Recording runs the model without gradients and dropout, on its own tape, and only reads parameters. So a training run
 * has the same bits with and without recording. After its setup a recorder allocates nothing of its own; only writing
 * the file needs a little memory. */
#pragma once

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

/* The largest `format` of a snapshot; it increases when an array changes its meaning. Each file gives the lowest format
 * that describes it: 2 if it holds words, types, or no `logits`, else 1. A file without `format` has format 1. */
enum { HL_SNAPSHOT_FORMAT = 2 };

typedef struct hl_recorder {
    const hl_model *model;    /* not owned */
    hl_examples examples;     /* E examples of T tokens; owned, as everything below */
    hl_batch_storage storage; /* the same examples, as the model reads them */
    int64_t rows;             /* how many rows the model runs on at once */
    bool sparse;              /* whether not all logits are kept (heads/answers.h) */
    int threads;
    hl_tape_plan plan;                              /* of a pass; it needs plan.bytes of arena */
    void *memory;                                   /* the block of the following arrays */
    hl_real *weights[HL_MAX_LAYERS];                /* for each layer (E, H, T, T), zero past the lengths */
    hl_real *logits;                                /* (E, T, C), zero past the lengths; for a model that pools, zero
                                                       except in each example's first row; sparse: NULL, and the next
                                                       arrays are used instead */
    int32_t *top_ids;                               /* (E, T, K) */
    hl_real *top_logits, *target_logits, *log_sums; /* (E, T, K), (E, T), (E, T) */
    hl_head_probe *probes;                          /* (L): copy the weights out of a pass */
    hl_head_weights *copies;                        /* (L): the arrays they are copied to */
    char *path;                                     /* the folder, followed by space for a file's name */
    size_t folder_length;

    /* Set after hl_recorder_init by a caller who wants to know how many examples are done. If it fails, its failure
     * ends the recording. May be NULL. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} hl_recorder;

/* The bytes of one snapshot without validation sums, of E examples of T tokens with R relations; words and types each
 * count as a relation. It is the most that the file needs on disk, and the recorder's memory to within a few KiB.
 * SIZE_MAX if the value does not fit. */
size_t hl_recorder_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations);

/* The most bytes of its file with the validation sums of examples of up to T tokens. SIZE_MAX if the value does not
 * fit. */
size_t hl_recorder_file_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations);

/* The bytes of arena needed to record examples of up to n_tokens tokens, with up to `rows` rows at once. The model
 * needs no numbers. HL_INVALID (examples are too long for the model, no rows), HL_NO_MEMORY. */
hl_status hl_recorder_pass_bytes(const hl_model *model, int64_t rows, int64_t n_tokens, int threads, size_t *bytes);

/* Copies the examples (at least one), cut to T = the longest length among them, and makes the folder. The model must
 * outlive the recorder; its parameters may change. `rows`, at least 1, bounds the memory: the model runs on so many
 * rows at once, or on as many as have HL_ANSWERS_LOGITS logits, or on one example. Other values may change the last
 * bits of what is recorded, because matrix products of other shapes round differently; `threads` changes no bits. If
 * not all logits are kept, the output layer runs only on rows that have a target, or on all rows if none has one. A
 * model that pools (any pooling but HL_POOLING_ROWS) gives one answer for each example, in its first row. `folder`:
 * NULL if nothing will be written (only hl_recorder_run is used). HL_INVALID (no examples, too long examples, no rows,
 * impossible sizes), HL_NO_MEMORY, HL_BAD_FILE (the folder). On failure the recorder is empty; on success free it with
 * hl_recorder_free. */
hl_status hl_recorder_init(hl_recorder *recorder, const hl_model *model, const hl_examples *examples, int64_t rows,
                           int threads, const char *folder);

/* Call it on an initialised recorder before it has run. The output layer then runs on no row without a target, even if
 * no row has one. HL_NO_MEMORY. */
hl_status hl_recorder_answer_targets_alone(hl_recorder *recorder);

/* A zeroed or already freed recorder is allowed. */
void hl_recorder_free(hl_recorder *recorder);

/* Runs the model on the examples and fills weights and logits; writes nothing. Leaves the arena as it was.
 * HL_NO_MEMORY, also if the arena has less memory left than planned; or the failure of `progress`. The buffers then
 * hold what was recorded so far. */
hl_status hl_recorder_run(hl_recorder *recorder, hl_arena *arena);

/* The same, and writes "<folder>/step_<step, six digits>.npz" without waiting for the disk. Its arrays are layer_0,
 * layer_1, ... (E, H, T, T), tokens, targets, source (E, T) int32, lengths (E) int32, step and format int64, and logits
 * (E, T, C). If there are too many logits, it has top_ids int32, top_logits, target_logits and log_sums instead
 * (heads/answers.h). If the task gives relations, it has `relations` (E, R, T) int32; if the examples have words and
 * types, it has these, (E, T) int32. Weights and logits are float32 (float64 in the double library). `sums`: the sums
 * over the whole validation set at this step, or NULL; if given, their arrays all_* are added
 * (heads/private/validation_sums_file.h). step >= 0. Fails as above. HL_BAD_FILE: the file is then unchanged.
 * HL_INVALID: the recorder has no folder, or the step is negative. */
hl_status hl_recorder_record(hl_recorder *recorder, int64_t step, const hl_validation_sums *sums, hl_arena *arena);

/* The model's answers, as last recorded. The arrays belong to the recorder. */
hl_answers hl_recorder_answers(const hl_recorder *recorder);

/* One head's patterns on all examples, as last recorded. The arrays belong to the recorder. */
hl_patterns hl_recorder_patterns(const hl_recorder *recorder, int layer, int64_t head);

HL_END_DECLS
