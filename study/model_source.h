/* What the folder of an opened model says about it (study/model.h). Only the treebank's size in the config changes
 * while it is open (hl_syntax_history_read). Code that runs no model and reads no snapshot needs only this. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/dataset.h"
#include "layers/model_config.h"
#include "pretrained/pretrained.h"
#include "train/config.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* All pointers without const are owned; the others point into the dataset or the config. */
typedef struct hl_model_source {
    char *path, *patterns; /* the folders */
    char *name; /* the folder's name, also if the path ends in "." or "/"; for an open model, its parent's name, too */
    hl_pretrained *open; /* an open model's folder, without the tokens, which the dataset has; NULL: a run */
    hl_pretrained_sentence sentence; /* how a sentence becomes a vector in the open model that this is or began with */
    hl_config config;
    hl_model_config shape; /* the shape of the model */
    hl_dataset *dataset;   /* the model is asked on its validation examples */
    hl_dataset *folders;   /* if an open model has scored examples: the dataset of its folder, whose tokens `dataset`
                              uses; freed after it; else NULL */
    const hl_vocabulary *vocabulary; /* the dataset's */
    const char *const *relations;    /* the names of the task's gold relations */
    const char *validation;          /* the name of the validation set in messages: "validation" or the file's name */
    int threads;                     /* the model runs on so many threads */
    int64_t slice;        /* its heads are measured on so many examples at once, as in training, to limit the memory */
    int64_t rows_at_once; /* the model runs on so many tokens at once, for the same reason */
} hl_model_source;

/* Whether there is a file of weights already. HL_NO_MEMORY. */
hl_status hl_model_source_has_weights(const hl_model_source *source, bool *has);

HL_END_DECLS
