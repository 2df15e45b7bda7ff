/* Turns an open model's folder (pretrained/pretrained.h) into a config and a dataset. */
#pragma once

#include "core/base/declarations.h"
#include "data/dataset.h"
#include "pretrained/pretrained.h"
#include "train/config.h"

HL_BEGIN_DECLS

/* The folder's tokens and model, for a config of any text task, with the head that this kind of model has for the task.
 * `path`, the folder's, must outlive the shape. HL_NO_MEMORY. Owned by the caller: hl_setup_shape_free. */
hl_status hl_setup_shape(const hl_pretrained *folder, const char *path, hl_config_shape *shape);

/* The tokens and the model of a run that began with an open model, from its config.ini at `path`, which must outlive
 * the shape. The shape stays zeroed for a toy task, for any other run, or if there is no such file. HL_BAD_FILE,
 * HL_NO_MEMORY. Owned in the same way. */
hl_status hl_setup_shape_of_run(const char *path, hl_config_shape *shape);
void hl_setup_shape_free(hl_config_shape *shape); /* a zeroed shape is allowed */

/* Makes the config of the folder's model as it is stored. Its task is the task of its head; without a head it is
 * masked, with model.head = none. The overrides set what the model is asked: keys of [task], patterns.examples,
 * train.seed, train.threads. Also makes a dataset with the folder's tokens, which move to it, and labels; it has no
 * examples (hl_dataset_of_tokens). HL_BAD_FILE: config.json is outside a config's ranges; HL_INVALID: an override is
 * wrong, has another key, or asks for a loss on a task without a stored head; HL_NO_MEMORY. After success the caller
 * owns *out: hl_dataset_free. */
hl_status hl_setup_pretrained(hl_pretrained *folder, const char *path, const char *const *overrides, int n_overrides,
                              hl_config *config, hl_dataset **out);

HL_END_DECLS
