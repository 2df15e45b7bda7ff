/* The config of a run: every key with its value, after defaults, the file and the command line's overrides.
 * config_keys.c is the table of keys, with defaults, ranges and meanings; fields are named section.key as there. */
#ifndef HL_TRAIN_CONFIG_H
#define HL_TRAIN_CONFIG_H

#include "core/declarations.h"
#include "core/status.h"
#include "data/task.h"
#include "layers/model.h"
#include "train/problems.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_CONFIG_MAX_PATH = 1000, /* with its final zero byte: quoted, it fits into a line of a config */
    HL_CONFIG_OVERRIDE = 4 * HL_CONFIG_MAX_PATH + 16,
    HL_CONFIG_MAX_BYTES = 1 << 20, /* of a config file */
    HL_CONFIG_LOG = -1,            /* patterns.every: steps 1, 2, 5, 10, 20, 50, ... */
};

/* Keys that the task does not use hold their defaults. */
typedef struct hl_config_task {
    int name; /* hl_config_task_spec has it as a string */
    int64_t length, min_length, symbols, shift, pairs, queries, order;
} hl_config_task;

typedef struct hl_config_model {
    int64_t layers, d_model, d_ff, max_length;
    int32_t heads[HL_MAX_LAYERS]; /* one per layer, as the next three; 0 past `layers` */
    int32_t kv_heads[HL_MAX_LAYERS];
    int32_t d_k[HL_MAX_LAYERS];
    int32_t d_v[HL_MAX_LAYERS];
    int activation; /* hl_activation */
    int norm;       /* hl_norm_place */
    int positions;  /* hl_positions_kind */
    int pooling;    /* hl_pooling */
    bool causal, bias, tie_embedding, tied_bias, scale_embedding, scale_residual;
    double initial_std, norm_eps;
    double dropout, dropout_attention, dropout_concat, dropout_residual, dropout_ffn, dropout_embedding;
} hl_config_model;

typedef struct hl_config_optimizer {
    int name; /* hl_optimizer_name */
    double learning_rate, min_rate;
    int schedule; /* hl_schedule_name */
    int64_t warmup_steps;
    double beta1, beta2, epsilon, weight_decay, clip_norm, label_smoothing;
    int64_t accumulate;
} hl_config_optimizer;

typedef struct hl_config_train {
    int64_t steps, batch_size, seed, threads;
    int64_t log_every, eval_every, eval_examples, checkpoint_every, keep_checkpoints, patience;
    char out[HL_CONFIG_MAX_PATH];
} hl_config_train;

typedef struct hl_config_patterns {
    int64_t every, examples, budget_mb;
} hl_config_patterns;

typedef struct hl_config {
    hl_data_sizes sizes; /* of the data: no key */
    hl_config_task task;
    hl_config_model model;
    hl_config_optimizer optimizer;
    hl_config_train train;
    hl_config_patterns patterns;
} hl_config;

typedef struct hl_config_options {
    const char *path;             /* of the file; its last part without extension names the default run folder */
    const char *const *overrides; /* "section.key=value", n_overrides of them; each beats the file */
    int n_overrides;
} hl_config_options;

/* Reads the file and the overrides into *config, every default resolved. Whatever is wrong, also a file of newer format
 * or one that cannot be read, is added to `problems`, empty before, each as a line "file:line: ..." or "command line:
 * ...", and makes the status HL_INVALID with the text of the first. HL_NO_MEMORY. *config is unusable after failure. */
hl_status hl_config_load(hl_config_options options, hl_config *config, hl_problems *problems);

/* The same with the file's content given; options.path only names it. */
hl_status hl_config_parse(hl_config_options options, const char *text, size_t size, hl_config *config,
                          hl_problems *problems);

/* The override that sets train.out to this folder, whatever its name. False where that is longer than paths may be. */
bool hl_config_out_override(const char *out, char override[HL_CONFIG_OVERRIDE]);

/* The config as the text of a config file that resolves to the same values, every key in it but those that the task
 * does not use. NULL when out of memory. Owned by the caller: hl_free. */
char *hl_config_text(const hl_config *config);

/* What a comment of config.ini says; counts on where a key, vocab.txt or a CSV file beside it changes its meaning. */
enum { HL_CONFIG_FORMAT = 1 };
/* Writes config.ini durably: that comment and the text. HL_BAD_FILE, HL_NO_MEMORY; `path` is then as it was. */
hl_status hl_config_write(const hl_config *config, const char *path);

/* The same as hl_config_text without the keys that change no number of a run's results, train.threads, train.out and
 * [patterns]: what files of weights carry, so that runs with equal results leave equal files. NULL when out of memory.
 * Owned by the caller: hl_free. */
char *hl_config_result_text(const hl_config *config);

/* Every key with type, range, default and meaning: for a terminal of 80 columns; as a page of Markdown. NULL when out
 * of memory. Owned by the caller: hl_free. */
char *hl_config_help(void);
char *hl_config_reference(void);

/* What hl_dataset_open and hl_task_* take; hl_task_check passes it. Its name is not owned by the config. */
hl_task_spec hl_config_task_spec(const hl_config *config);

/* The first key, "section.key", in which they differ and which a resumed run must not change; NULL: there is none. */
const char *hl_config_difference(const hl_config *a, const hl_config *b);

HL_END_DECLS

#endif
