/* checkpoint.safetensors: all that resuming needs; and model.safetensors: weights alone.
 *
 * Tensors: every parameter under its names, and in a checkpoint optimizer.m.<name>, optimizer.v.<name>. Metadata:
 * format (pt), step, config (hl_config_result_text), in model.safetensors weights_format, and in a checkpoint
 * checkpoint_format and the fields of hl_train_state. */
#ifndef HL_TRAIN_CHECKPOINT_H
#define HL_TRAIN_CHECKPOINT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "train/state.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What `weights_format` says in model.safetensors, and `checkpoint_format` in checkpoints; the second counts on
 * wherever a run would no longer go on from an older one to the same bits. A file that says none is of format 1:
 * checkpoints of format 1 said none, Adam's moments were then rounded otherwise, and the losses that call for snapshots
 * not kept. Until format 2 batches were padded, and dropout was drawn by other keys; until format 3 the products of
 * matrices with more than 2^18 weights were added up in other orders. */
enum { HL_WEIGHTS_FORMAT = 1, HL_CHECKPOINT_FORMAT = 4 };

/* Writes the weights alone, durably. HL_BAD_FILE, HL_NO_MEMORY; `path` is then as it was. */
hl_status hl_checkpoint_write_model(const char *path, const hl_parameters *parameters, int64_t step,
                                    const char *config);

/* The same of a model that was pruned, with the names that its heads had before, by layer and head: "L0H1,L1H0",
 * which the metadata holds as `heads`; NULL: of a whole model. */
hl_status hl_checkpoint_write_pruned(const char *path, const hl_parameters *parameters, int64_t step,
                                     const char *config, const char *heads);

/* Writes weights, moments and state, durably. If `kept_path` is not NULL, the present file at `path`, if there is one,
 * stays as a hard link under that name. Failures as above. */
hl_status hl_checkpoint_write(const char *path, const char *kept_path, const hl_optimizer *optimizer,
                              const hl_train_state *state, const char *config);

/* A file of weights, ours or another program's, opened once. Its header can be asked before its numbers are read, but
 * may be damaged until hl_checkpoint_load, _restore or _judge has read the file to its end. */
typedef struct hl_checkpoint hl_checkpoint;

/* Reads the header alone (safetensors.h), which takes no time and little memory. HL_BAD_FILE, also for a newer format,
 * HL_NO_MEMORY; *out is then NULL. On success it is the caller's: hl_checkpoint_free. */
hl_status hl_checkpoint_open(const char *path, hl_checkpoint **out);

void hl_checkpoint_free(hl_checkpoint *checkpoint); /* NULL is allowed */

/* -1: another program wrote the file. */
int64_t hl_checkpoint_step(const hl_checkpoint *checkpoint);

/* Whether it has a checksum, by which damage is found. */
bool hl_checkpoint_has_checksum(const hl_checkpoint *checkpoint);

/* The text of the config that the weights were trained with, NULL where the file holds none; owned by the
 * checkpoint. */
const char *hl_checkpoint_config(const hl_checkpoint *checkpoint);

/* The status `found` of something done with the header's content; where that failed and the file is damaged,
 * HL_BAD_FILE saying so instead. Reads the whole file in that case, which takes time but no memory. */
hl_status hl_checkpoint_judge(hl_checkpoint *checkpoint, hl_status found);

/* The state of the run that it is a checkpoint of, as the file says it. HL_BAD_FILE: it is none. */
hl_status hl_checkpoint_state(const hl_checkpoint *checkpoint, hl_train_state *state);

/* Whether its weights are these parameters', which need not be allocated. HL_BAD_FILE naming the tensor that is
 * missing, superfluous or of another shape, or that the file is damaged; optimizer tensors are passed over. */
hl_status hl_checkpoint_fits(hl_checkpoint *checkpoint, const hl_parameters *parameters);

/* Reads the weights into the parameters, tensor by tensor, once they are known to fit. HL_BAD_FILE as above, also where
 * the file is damaged, a number is not finite, or tied weights differ; the parameters may then be overwritten in part,
 * and are of no use. HL_NO_MEMORY. */
hl_status hl_checkpoint_load(hl_checkpoint *checkpoint, hl_parameters *parameters);

/* The same of a checkpoint of ours, with the optimizer's moments and step, and the state. HL_BAD_FILE: also where it is
 * none, or of another format, from which a run would not go on to the same bits. */
hl_status hl_checkpoint_restore(hl_checkpoint *checkpoint, hl_optimizer *optimizer, hl_train_state *state);

/* The step of a file of weights of ours, verified; -1 where there is no file, and for one that another program wrote.
 * HL_BAD_FILE: damaged, or it cannot be read; HL_NO_MEMORY; *step is then -1. */
hl_status hl_checkpoint_read_step(const char *path, int64_t *step);

/* What metrics.csv held when this checkpoint was written, verified; *has is false, and *sum of no rows, where there is
 * no such file. HL_BAD_FILE: damaged, or not a checkpoint; HL_NO_MEMORY. */
hl_status hl_checkpoint_read_metrics(const char *path, bool *has, hl_metrics_sum *sum);

HL_END_DECLS

#endif
