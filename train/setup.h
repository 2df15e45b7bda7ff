/* Turns a config into the settings of the model, the data and the threads. */
#ifndef HL_TRAIN_SETUP_H
#define HL_TRAIN_SETUP_H

#include "core/base/declarations.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/config.h"

HL_BEGIN_DECLS

/* The model's part, with what the data say: vocabulary, targets, types of tokens, pooling, recompute. In bf16 where the
 * config says so and that is to be had (core/kernels/bf16.h), else in float: what trains calls hl_setup_check_precision
 * before. */
hl_model_config hl_setup_model(const hl_config *config);

hl_optimizer_options hl_setup_optimizer(const hl_config *config);

hl_schedule hl_setup_schedule(const hl_config *config);

/* The arrays that its examples have besides tokens, targets and sources: relations, words, types. */
int64_t hl_setup_example_arrays(const hl_config *config);

/* The threads to use: config->train.threads, or where that is 0 what the machine allows. */
int hl_setup_threads(const hl_config *config);

/* HL_INVALID where the config names no folder for a run: train.out was not given, and none can be named after the file
 * (as for standard input). `path` is the file's, for the message. */
hl_status hl_setup_check_out(const hl_config *config, const char *path);

/* HL_INVALID where the config's model has no output layer, so that it has no loss. `path` as above. */
hl_status hl_setup_check_trained(const hl_config *config, const char *path);

/* HL_INVALID where the config asks for bf16 and it is not to be had here (core/kernels/bf16.h). `path` as above. */
hl_status hl_setup_check_precision(const hl_config *config, const char *path);

/* HL_INVALID where so many processes cannot share the leaves of a batch. `path` as above. */
hl_status hl_setup_check_processes(const hl_config *config, int processes, const char *path);

/* Puts what train.precision = auto means here in its place. Returns why that is float (hl_bf16_missing) or NULL. */
const char *hl_setup_resolve_precision(hl_config *config);

HL_END_DECLS

#endif
