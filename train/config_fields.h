/* The fields of a config. They are named section.key, as in the table of keys (train/config/keys.c), which also tells
 * the fields of other names. */
#pragma once

#include "core/base/declarations.h"
#include "data/data_sizes.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_CONFIG_MAX_PATH = 1000, /* including the final zero byte; in quotes, it fits into a line of a config */
    HL_CONFIG_OVERRIDE = 4 * HL_CONFIG_MAX_PATH + 16,
    HL_CONFIG_MAX_BYTES = 1 << 20, /* the largest config file */
    HL_CONFIG_LOG = -1,            /* patterns.every: steps 1, 2, 5, 10, 20, 50, ... */
    HL_CONFIG_TEXTS = 1600,        /* all texts of a config together, each with a zero byte */
};

/* A text as an index into hl_config.texts: hl_config_string returns the text. 0 stands for "". */
typedef uint16_t hl_config_string_at;

/* Keys that the task does not use have their defaults. */
typedef struct hl_config_task {
    int name; /* an index; hl_config_task_spec returns the name */
    int64_t length, min_length, symbols, shift, pairs, queries, order;
    hl_config_string_at file, validation_file, column, text_column, label_column, cache, content;
    int64_t line_mb;
    double validation_share, drop_pieces;
    int mask; /* 1: whole words */
    bool prefix_space;
} hl_config_task;

typedef struct hl_config_tokens {
    int kind; /* hl_tokens_kind */
    int64_t size, min_count;
    hl_config_string_at vocabulary;
    bool lowercase;
} hl_config_tokens;

/* How backward gets the weights of attention: kept from forward, or computed again. */
typedef enum hl_config_attention { HL_ATTENTION_AUTO, HL_ATTENTION_KEEP, HL_ATTENTION_RECOMPUTE } hl_config_attention;

typedef struct hl_config_optimizer {
    hl_optimizer_options update; /* name, beta1, beta2, epsilon, weight_decay */
    hl_schedule schedule;        /* without what hl_setup_schedule adds; its name is optimizer.schedule */
    double clip_norm, label_smoothing;
    int64_t accumulate;
} hl_config_optimizer;

/* The precision in which linear maps multiply; auto is resolved before a run begins. */
typedef enum hl_config_precision { HL_PRECISION_FLOAT, HL_PRECISION_BF16, HL_PRECISION_AUTO } hl_config_precision;

typedef struct hl_config_train {
    int64_t steps, batch_size, seed, threads;
    int64_t log_every, eval_every, eval_examples, checkpoint_every, keep_checkpoints, patience;
    int64_t length_window, leaves;
    int precision; /* hl_config_precision */
    bool tensorboard;
    hl_config_string_at off, frozen, from, weights;
    char out[HL_CONFIG_MAX_PATH];
} hl_config_train;

typedef struct hl_config_patterns {
    int64_t every, examples, budget_mb;
    hl_config_string_at file, treebank;
} hl_config_patterns;

typedef struct hl_config {
    hl_data_sizes sizes; /* of the data; not a key */
    hl_config_task task;
    hl_config_tokens tokens;
    hl_model_config model; /* without what hl_setup_model derives; heads, kv_heads, d_k, d_v are 0 past n_layers */
    double dropout;        /* model.dropout: only the default of other keys, not a setting of the model */
    int attention;         /* model.attention: hl_config_attention; model.recompute follows from it and the data */
    hl_config_optimizer optimizer;
    hl_config_train train;
    hl_config_patterns patterns;
    char texts[HL_CONFIG_TEXTS]; /* the first is "" */
} hl_config;

static inline const char *hl_config_string(const hl_config *config, hl_config_string_at at)
{
    return config->texts + at;
}

HL_END_DECLS
