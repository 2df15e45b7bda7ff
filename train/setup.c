#include "train/setup.h"

#include "core/base/threads.h"
#include "core/kernels/bf16.h"

/* From this many tokens on, the weights of attention need most of a step's memory. Computing them again costs about a
 * tenth of its time. */
enum { RECOMPUTE_FROM = 1024 };

hl_model_config hl_setup_model(const hl_config *config)
{
    const hl_data_sizes *sizes = &config->sizes;
    hl_model_config model = config->model;
    model.vocabulary = model.vocabulary > sizes->vocabulary ? model.vocabulary : sizes->vocabulary;
    model.targets = sizes->targets;
    model.token_types = model.token_types > 0 ? model.token_types : sizes->types;
    model.pooling = sizes->pooled ? model.pooling : HL_POOLING_ROWS;
    model.recompute = config->attention == HL_ATTENTION_RECOMPUTE ||
                      (config->attention == HL_ATTENTION_AUTO && sizes->longest >= RECOMPUTE_FROM);
    model.bf16 = config->train.precision != HL_PRECISION_FLOAT && hl_bf16_missing() == NULL;
    return model;
}

hl_schedule hl_setup_schedule(const hl_config *config)
{
    hl_schedule schedule = config->optimizer.schedule;
    schedule.steps = config->train.steps;
    schedule.d_model = config->model.d_model;
    return schedule;
}

int64_t hl_setup_example_arrays(const hl_config *config)
{
    return config->sizes.relations + (config->sizes.words ? 1 : 0) + (config->sizes.types > 0 ? 1 : 0);
}

int hl_setup_threads(const hl_config *config)
{
    return config->train.threads > 0 ? (int)config->train.threads : hl_threads_default();
}

hl_status hl_setup_check_out(const hl_config *config, const char *path)
{
    return config->train.out[0] != '\0'
               ? hl_ok()
               : hl_error(HL_INVALID, "%s: train.out: no folder can be named after this file: give one, by --out",
                          path);
}

hl_status hl_setup_check_processes(const hl_config *config, int processes, const char *path)
{
    return processes <= config->train.leaves
               ? hl_ok()
               : hl_error(
                     HL_INVALID,
                     "%s: train.leaves = %lld cuts a batch among as many processes at most, and there are %d: start "
                     "fewer, or begin the run with more leaves, which it keeps",
                     path, (long long)config->train.leaves, processes);
}

hl_status hl_setup_check_trained(const hl_config *config, const char *path)
{
    return config->model.head != HL_HEAD_NONE
               ? hl_ok()
               : hl_error(HL_INVALID, "%s: model.head: none leaves nothing to train: set linear or transform", path);
}

hl_status hl_setup_check_precision(const hl_config *config, const char *path)
{
    const char *missing = config->train.precision == HL_PRECISION_BF16 ? hl_bf16_missing() : NULL;
    return missing == NULL ? hl_ok()
                           : hl_error(HL_INVALID, "%s: train.precision: no bf16: %s; set float or auto", path, missing);
}

const char *hl_setup_resolve_precision(hl_config *config)
{
    const char *missing = NULL;
    if (config->train.precision == HL_PRECISION_AUTO) {
        missing = hl_bf16_missing();
        config->train.precision = missing == NULL ? HL_PRECISION_BF16 : HL_PRECISION_FLOAT;
    }
    return missing;
}
