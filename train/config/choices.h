/* The names of choices in a config, in the order of their constants; for train/config/keys.c. */
#pragma once

#include "layers/model_config.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/config_fields.h"

#include <stddef.h>

#define ACTIVATION_NAME(constant, name) [constant] = #name,
static const char *const activations[] = { HL_ACTIVATIONS(ACTIVATION_NAME) NULL };
static const char *const attentions[] = {
    [HL_ATTENTION_AUTO] = "auto",
    [HL_ATTENTION_KEEP] = "keep",
    [HL_ATTENTION_RECOMPUTE] = "recompute",
    NULL,
};
static const char *const norms[] = { [HL_NORM_PRE] = "pre", [HL_NORM_POST] = "post", NULL };
static const char *const part_biases[] = {
    [HL_BIAS_AUTO] = "auto",
    [HL_BIAS_TRUE] = "true",
    [HL_BIAS_FALSE] = "false",
    NULL,
};
static const char *const norm_kinds[] = { [HL_NORM_LAYER] = "layer", [HL_NORM_RMS] = "rms", NULL };
static const char *const positions[] = {
    [HL_POSITIONS_SINUSOIDAL] = "sinusoidal",
    [HL_POSITIONS_LEARNED] = "learned",
    [HL_POSITIONS_NONE] = "none",
    [HL_POSITIONS_ROTARY] = "rotary",
    NULL,
};
static const char *const feed_forwards[] = {
    [HL_FEED_FORWARD_USUAL] = "usual",
    [HL_FEED_FORWARD_NONE] = "none",
    [HL_FEED_FORWARD_GATED] = "gated",
    NULL,
};
static const char *const poolings[] = {
    [HL_POOLING_ROWS] = "first", [HL_POOLING_MEAN] = "mean", [HL_POOLING_LAST] = "last", NULL
};
static const char *const poolers[] = {
    [HL_POOLER_NONE] = "none", [HL_POOLER_TANH] = "tanh", [HL_POOLER_RELU] = "relu", [HL_POOLER_GELU] = "gelu", NULL,
};
static const char *const heads[] = {
    [HL_HEAD_LINEAR] = "linear",
    [HL_HEAD_TRANSFORM] = "transform",
    [HL_HEAD_NONE] = "none",
    NULL,
};
static const char *const optimizers[] = { [HL_ADAM] = "adam", [HL_ADAMW] = "adamw", [HL_SGD] = "sgd", NULL };
static const char *const schedules[] = {
    [HL_SCHEDULE_NOAM] = "noam",
    [HL_SCHEDULE_LINEAR] = "linear",
    [HL_SCHEDULE_COSINE] = "cosine",
    [HL_SCHEDULE_CONSTANT] = "constant",
    NULL,
};

static const char *const precisions[] = {
    [HL_PRECISION_FLOAT] = "float",
    [HL_PRECISION_BF16] = "bf16",
    [HL_PRECISION_AUTO] = "auto",
    NULL,
};
