/* checkpoint.safetensors: all that resuming needs; and model.safetensors: weights alone.
 *
 * Tensors: every parameter under its names, and in a checkpoint optimizer.m.<name>, optimizer.v.<name>. Metadata:
 * format, step, config (hl_config_result_text), and in a checkpoint checkpoint_format and the fields of
 * hl_train_state. */
#ifndef HL_TRAIN_CHECKPOINT_H
#define HL_TRAIN_CHECKPOINT_H

#include "core/status.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "train/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Writes the weights alone, durably. HL_BAD_FILE, HL_NO_MEMORY; `path` is then as it was. */
hl_status hl_checkpoint_write_model(const char *path, const hl_parameters *parameters, int64_t step,
                                    const char *config);

/* The same of a model that was pruned, with the names that its heads had before, by layer and head: "L0H1,L1H0",
 * which the metadata holds as `heads`. */
hl_status hl_checkpoint_write_pruned(const char *path, const hl_parameters *parameters, int64_t step,
                                     const char *config, const char *heads);

/* Writes weights, moments and state, durably. If `kept_path` is not NULL, the present file at `path`, if there is one,
 * stays as a hard link under that name. Failures as above. */
hl_status hl_checkpoint_write(const char *path, const char *kept_path, const hl_optimizer *optimizer,
                              const hl_train_state *state, const char *config);

/* The step of a file of weights of ours; -1 where there is no file, and for one that another program wrote.
 * HL_BAD_FILE: damaged, or it cannot be read; HL_NO_MEMORY; *step is then -1. */
hl_status hl_checkpoint_read_step(const char *path, int64_t *step);

/* What metrics.csv held when this checkpoint was written; *has is false, and *sum of no rows, where there is no such
 * file. HL_BAD_FILE: damaged, or not a checkpoint; HL_NO_MEMORY. */
hl_status hl_checkpoint_read_metrics(const char *path, bool *has, hl_metrics_sum *sum);

/* What a checkpoint says of itself, read before a model is built for it. */
typedef struct hl_checkpoint hl_checkpoint;

/* Reads and checks a whole file of ours. HL_BAD_FILE: damaged, or not a checkpoint; HL_NO_MEMORY. On success *out is
 * the caller's: hl_checkpoint_free. */
hl_status hl_checkpoint_open(const char *path, hl_checkpoint **out);

void hl_checkpoint_free(hl_checkpoint *checkpoint); /* NULL is allowed */

/* The config's text; owned by the checkpoint. */
const char *hl_checkpoint_config(const hl_checkpoint *checkpoint);

/* Fills the optimizer with its parameters, and the state. HL_BAD_FILE: the checkpoint is of another format, from which
 * a run would not go on to the same bits; or naming the tensor that is missing, superfluous, not finite or of another
 * shape. */
hl_status hl_checkpoint_restore(const hl_checkpoint *checkpoint, hl_optimizer *optimizer, hl_train_state *state);

/* Fills the parameters from a file with weights, ours or PyTorch's; optimizer tensors in it are passed over.
 * *has_checksum tells whether its integrity could be checked; *config is the text of the config they were trained with,
 * NULL where the file holds none, owned by the caller: hl_free. HL_BAD_FILE as above; HL_NO_MEMORY; then *config is
 * NULL. */
hl_status hl_checkpoint_load_weights(const char *path, hl_parameters *parameters, bool *has_checksum, char **config);

#endif
