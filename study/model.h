/* A trained model, opened for reading: programs read each of its files here, and only once.
 *
 * It is a run's folder: its config, its task, its weights, its metrics and the snapshots of its patterns. It may be
 * opened while the run goes on: it is not locked, and every file of a run is whole at every moment. Nothing in it is
 * written. Opening reads config.ini alone; the rest is read when it is asked for, and then stands until it is closed.
 * Or it is the folder of an open model (pretrained/pretrained.h): a config made of its own, its tokens, its weights; no
 * examples, metrics or snapshots.
 * Either can be examined on the sentences of a file (study/model_examples.h). It then has two snapshots, which are
 * recorded when they are asked for and written nowhere: step 0, the null, of the same shape with random weights; and
 * that of its weights, of an open model step 1. */
#pragma once

#include "core/base/declarations.h"
#include "heads/snapshot.h"
#include "layers/model.h"
#include "study/model_source.h"
#include "train/setup_data.h"
#include "train/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_opened_model {
    hl_model_source source;

    int64_t *steps; /* (n_steps): the steps of its snapshots, ascending; owned */
    size_t n_steps;
    hl_snapshot last, other; /* the last snapshot, and one before it, read when they are first asked for */

    /* Reports how far a pass over examples is; set by the caller, or NULL. Its failure ends the pass. */
    hl_status (*progress)(void *context, const char *what, int64_t done, int64_t total);
    void *context;

    /* Set by hl_opened_model_examine. */
    const char *file;     /* not owned; NULL: it is not examined */
    hl_dataset *written;  /* the file's sentences; owned; freed before the source, whose tokens it uses */
    hl_examples examples; /* its first sentences, on which snapshots are recorded; also owned */

    /* Set by hl_opened_model_load. */
    hl_model model;
    bool loaded;
    int64_t weights_step; /* the step of these weights; -1: none yet, or not known */
    int64_t asked_step;   /* the step for which they were loaded */

    char *metrics; /* metrics.csv, read on the first demand; owned */
    bool knows_rows;
    hl_metrics_sum rows; /* of metrics.csv, as recorded in the checkpoint */
} hl_opened_model;

/* Reads config.ini, opens its task and lists its snapshots, if there are any; or opens the folder of an open model.
 * HL_BAD_FILE, naming file and remedy: no folder, a folder that is neither kind, a config.ini that cannot be read, or
 * as hl_pretrained_open. HL_NO_MEMORY. Must be closed with hl_opened_model_close, on failure too. */
hl_status hl_opened_model_open(hl_opened_model *run, const char *path);

typedef struct hl_model_options {
    hl_data_use use; /* how a run's data are used (train/setup_data.h); with HL_DATA_TOKENS, its files need not exist,
                        and it has no examples */
    /* What an open model is asked; NULL: not given. */
    const char *task, *file;      /* task.name, task.file */
    const char *const *overrides; /* "section.key=value" (train/setup_pretrained.h), n of them */
    int n_overrides;
    bool any_classifier; /* accept a classifier of several labels at once or of numbers; if false, such an output layer
                            is ignored */
} hl_model_options;

/* The same with options. If task.file is given for an open model, all examples of this file are its validation set. The
 * first patterns.examples of them take the place of a last snapshot. HL_INVALID: as hl_setup_pretrained, or overrides
 * of a run other than task.line_mb. */
hl_status hl_opened_model_open_with(hl_opened_model *run, const char *path, hl_model_options options);

/* A zeroed or already closed run is allowed. */
void hl_opened_model_close(hl_opened_model *run);

/* HL_BAD_FILE if there is no snapshot; the message says which key to set. */
hl_status hl_opened_model_check_steps(const hl_opened_model *run);

/* The snapshot of a step; below 0, the last one. The last one is read once and stands until the run is closed. Any
 * other stands until the next call. An open model with examples has only a last snapshot, for which it runs on these
 * examples once. HL_INVALID, naming the existing steps, if there is no snapshot of this step; HL_BAD_FILE (also for a
 * file of another step or of a task with other relations, and as hl_opened_model_check_steps); HL_NO_MEMORY. */
hl_status hl_opened_model_snapshot(hl_opened_model *run, int64_t step, const hl_snapshot **snapshot);

/* The text of metrics.csv, owned by the run; NULL if there is no such file. If there is a checkpoint.safetensors, it is
 * read unless its weights were loaded, and metrics.csv must begin with the rows that it records. HL_BAD_FILE if it does
 * not, or if it is damaged; HL_NO_MEMORY. */
hl_status hl_opened_model_metrics(hl_opened_model *run, const char **text);

/* Makes the model with weights of the run: those of `step` if a file has them (checkpoint.safetensors or a kept
 * checkpoint). Otherwise, or if `step` is below 0, those of checkpoint.safetensors; if there is none, those of
 * model.safetensors. weights_step says which step they are from. An examined model has the weights of its two steps. A
 * call for another step replaces the weights; a call for the same step, or for weights_step, keeps them. HL_BAD_FILE
 * (also if there are no weights yet, if they were trained with another config than the run's, or if an open model lacks
 * a matrix of its head), HL_NO_MEMORY. */
hl_status hl_opened_model_load(hl_opened_model *run, int64_t step);

HL_END_DECLS
