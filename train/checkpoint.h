/* checkpoint.safetensors holds all that resuming needs; model.safetensors holds weights only.
 *
 * Tensors: every parameter under its names; in a checkpoint also optimizer.m.<name> and optimizer.v.<name>. Metadata:
 * format (pt), step, config (hl_config_result_text); in model.safetensors also weights_format; in a checkpoint also
 * checkpoint_format and the fields of hl_train_state. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/files/safetensors.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "train/state.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The values of `weights_format` in model.safetensors and of `checkpoint_format` in checkpoints. The second increases
 * whenever a run resumed from an older checkpoint would no longer reach the same bits. A file without a value has
 * format 1. Checkpoints of format 1 had none; Adam's moments were then rounded differently, and the losses that trigger
 * snapshots were not kept. Until format 2, batches were padded, and dropout was drawn by other keys. Until format 3,
 * the products of matrices with more than 2^18 weights were added in other orders. */
enum { HL_WEIGHTS_FORMAT = 1, HL_CHECKPOINT_FORMAT = 4 };

/* Writes only the weights, and waits for the disk. HL_BAD_FILE, HL_NO_MEMORY; `path` is then as it was. */
hl_status hl_checkpoint_write_model(const char *path, const hl_parameters *parameters, int64_t step,
                                    const char *config);

/* The same for a pruned model, with the names that its heads had before, by layer and head, such as "L0H1,L1H0". The
 * metadata holds them as `heads`. NULL: a whole model. */
hl_status hl_checkpoint_write_pruned(const char *path, const hl_parameters *parameters, int64_t step,
                                     const char *config, const char *heads);

/* Writes weights, moments and state, and waits for the disk. If `kept_path` is not NULL, an existing file at `path`
 * stays as a hard link under that name. Failures as above. */
hl_status hl_checkpoint_write(const char *path, const char *kept_path, const hl_optimizer *optimizer,
                              const hl_train_state *state, const char *config);

/* A file of weights, ours or another program's, opened once. Its header can be read before its numbers, but it may be
 * damaged until hl_checkpoint_load, _restore or _judge has read the file to its end. */
typedef struct hl_checkpoint {
    hl_safetensors *file; /* owned, like the path */
    char *path;
    int64_t step;       /* of the weights; -1: another program wrote the file */
    const char *config; /* the text of the config with which the weights were trained; NULL if the file holds none */
    bool has_checksum;  /* which detects damage */
} hl_checkpoint;

/* Reads only the header (safetensors.h), which needs no time and little memory. HL_BAD_FILE, also for a newer format,
 * HL_NO_MEMORY; *out is then NULL. After success the caller owns it: hl_checkpoint_free. */
hl_status hl_checkpoint_open(const char *path, hl_checkpoint **out);

void hl_checkpoint_free(hl_checkpoint *checkpoint); /* NULL is allowed */

/* Returns the status `found`, the result of some use of the header's content. If that failed and the file is damaged,
 * returns HL_BAD_FILE instead, which says so. In that case it reads the whole file, which takes time but no memory. */
hl_status hl_checkpoint_judge(hl_checkpoint *checkpoint, hl_status found);

/* The state of the run at this checkpoint, as the file has it. HL_BAD_FILE: the file is not a checkpoint. */
hl_status hl_checkpoint_state(const hl_checkpoint *checkpoint, hl_train_state *state);

/* Whether its weights belong to these parameters, which need not be allocated. HL_BAD_FILE names the tensor that is
 * missing, unexpected or of another shape, or says that the file is damaged. Optimizer tensors are skipped. */
hl_status hl_checkpoint_fits(hl_checkpoint *checkpoint, const hl_parameters *parameters);

/* Reads the weights into the parameters, tensor by tensor, after checking that they fit. HL_BAD_FILE as above, also if
 * the file is damaged, a number is not finite, or tied weights differ. The parameters may then be partly overwritten,
 * and must not be used. HL_NO_MEMORY. */
hl_status hl_checkpoint_load(hl_checkpoint *checkpoint, hl_parameters *parameters);

/* The same for a checkpoint of ours, with the optimizer's moments and step, and the state. HL_BAD_FILE also if it is
 * not a checkpoint, or has another format, because the run would then not reach the same bits. */
hl_status hl_checkpoint_restore(hl_checkpoint *checkpoint, hl_optimizer *optimizer, hl_train_state *state);

/* The verified step of a file of our weights; -1 if there is no file or another program wrote it. HL_BAD_FILE: it is
 * damaged or cannot be read; HL_NO_MEMORY; *step is then -1. */
hl_status hl_checkpoint_read_step(const char *path, int64_t *step);

/* What metrics.csv held when this checkpoint was written, verified. If there is no such file, *has is false and *sum
 * has no rows. HL_BAD_FILE: damaged, or not a checkpoint; HL_NO_MEMORY. */
hl_status hl_checkpoint_read_metrics(const char *path, bool *has, hl_metrics_sum *sum);

HL_END_DECLS
