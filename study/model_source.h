/* What the folder of an opened model says of it (study/model.h). It stays as it is from opening to closing, but for the
 * treebank's size in the config (hl_syntax_history_read). Whoever runs no model and reads no snapshot needs this alone.
 */
#ifndef HL_STUDY_MODEL_SOURCE_H
#define HL_STUDY_MODEL_SOURCE_H

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
    char *name; /* the folder's own, also where the path ends in "." or "/"; an open model's with its parent's */
    hl_pretrained *open; /* an open model's folder, without its tokens, which are the dataset's; NULL: a run */
    hl_pretrained_sentence sentence; /* how a sentence becomes a vector: an open model's, or what a run began with */
    hl_config config;
    hl_model_config shape; /* of its model */
    hl_dataset *dataset;   /* its validation examples are those that the model is asked on */
    hl_dataset *folders; /* an open model's, whose tokens `dataset` reads where it has examples, which are then scored;
                              freed after it; else NULL */
    const hl_vocabulary *vocabulary; /* the dataset's */
    const char *const *relations;    /* the names of the task's gold relations */
    const char *validation; /* what its validation set is called: that, or the file of an open model's examples */
    int threads;            /* that it is run on */
    int64_t slice; /* how many examples its heads are measured on at once, as in training, which bounds the memory */
    int64_t rows_at_once; /* how many tokens it is run on at once, likewise */
} hl_model_source;

/* Whether a file of weights is there already. HL_NO_MEMORY. */
hl_status hl_model_source_has_weights(const hl_model_source *source, bool *has);

HL_END_DECLS

#endif
