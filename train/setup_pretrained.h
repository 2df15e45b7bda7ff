/* An open model's folder (pretrained/pretrained.h) as what a config and a dataset say. */
#ifndef HL_TRAIN_SETUP_PRETRAINED_H
#define HL_TRAIN_SETUP_PRETRAINED_H

#include "core/base/declarations.h"
#include "data/dataset.h"
#include "pretrained/pretrained.h"
#include "train/config.h"

HL_BEGIN_DECLS

/* The folder's tokens and model for a config of any task of text, with the head that its kind has for that task.
 * `path`, the folder's, must outlive the shape. HL_NO_MEMORY. Owned: hl_setup_shape_free. */
hl_status hl_setup_shape(const hl_pretrained *folder, const char *path, hl_config_shape *shape);

/* The tokens and the model of a run that was begun with an open model, out of its config.ini at `path`, which must
 * outlive the shape; of a toy task, of another run, or where there is none, the shape stays zeroed. HL_BAD_FILE,
 * HL_NO_MEMORY. Owned likewise. */
hl_status hl_setup_shape_of_run(const char *path, hl_config_shape *shape);
void hl_setup_shape_free(hl_config_shape *shape); /* a zeroed one is allowed */

/* The config of the folder's model as it is stored, whose task is that of its head; where it has none masked, with
 * model.head = none. The overrides say what it shall be asked on: keys of [task], patterns.examples,
 * train.seed, train.threads. And a dataset of its tokens and labels, which has no examples (hl_dataset_of_tokens); the
 * folder's tokens go to it. HL_BAD_FILE: what config.json says is in none of a config's ranges; HL_INVALID: an override
 * is wrong, of another key, or asks for a loss on a task for which no head is stored; HL_NO_MEMORY. On success *out is
 * the caller's: hl_dataset_free. */
hl_status hl_setup_pretrained(hl_pretrained *folder, const char *path, const char *const *overrides, int n_overrides,
                              hl_config *config, hl_dataset **out);

HL_END_DECLS

#endif
