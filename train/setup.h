/* Turns a config into the settings of the model, the data and the threads. */
#pragma once

#include "core/base/declarations.h"
#include "layers/model.h"
#include "optim/schedule.h"
#include "train/config.h"

HL_BEGIN_DECLS

/* The model's settings, completed with what the data determine: vocabulary, targets, token types, pooling, recompute.
 * In bf16 if the config asks for it and it is available (core/kernels/bf16.h), otherwise in float. Programs that train
 * call hl_setup_check_precision first. */
hl_model_config hl_setup_model(const hl_config *config);

/* The config's, completed with the run's steps and the model's width. */
hl_schedule hl_setup_schedule(const hl_config *config);

/* The arrays of its examples besides tokens, targets and sources: relations, words, types. */
int64_t hl_setup_example_arrays(const hl_config *config);

/* The number of threads to use: config->train.threads, or if that is 0, what the machine allows. */
int hl_setup_threads(const hl_config *config);

/* HL_INVALID if the config names no folder for a run: train.out was not given, and no name follows from the file (as
 * with standard input). `path` is the file's, for the message. */
hl_status hl_setup_check_out(const hl_config *config, const char *path);

/* HL_INVALID if the config's model has no output layer, and therefore no loss. `path` as above. */
hl_status hl_setup_check_trained(const hl_config *config, const char *path);

/* HL_INVALID if the config asks for bf16 and it is not available here (core/kernels/bf16.h). `path` as above. */
hl_status hl_setup_check_precision(const hl_config *config, const char *path);

/* HL_INVALID if `processes` processes cannot share the leaves of a batch. `path` as above. */
hl_status hl_setup_check_processes(const hl_config *config, int processes, const char *path);

/* Replaces train.precision = auto by its meaning on this machine. Returns why that is float (hl_bf16_missing), or
 * NULL. */
const char *hl_setup_resolve_precision(hl_config *config);

HL_END_DECLS
