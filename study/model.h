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
#ifndef HL_STUDY_MODEL_H
#define HL_STUDY_MODEL_H

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

    int64_t *steps; /* of its snapshots, n_steps of them, ascending; owned */
    size_t n_steps;
    hl_snapshot last, other; /* the last snapshot, and one before it, read when they are first asked for */

    /* Told how far the model is on examples; set by the caller, or NULL. What it fails with ends the pass. */
    hl_status (*progress)(void *context, const char *what, int64_t done, int64_t total);
    void *context;

    /* Set by hl_opened_model_examine. */
    const char *file;     /* not owned; NULL: it is not examined */
    hl_dataset *written;  /* the file's sentences; owned, and freed before the source, whose tokens it has */
    hl_examples examples; /* the first of them, of which snapshots are; also owned */

    /* Set by hl_opened_model_load. */
    hl_model model;
    bool loaded;
    int64_t weights_step; /* of these weights; -1: none yet, or not known */
    int64_t asked_step;   /* for which they were loaded */

    char *metrics; /* metrics.csv, read when it is first asked for; owned */
    bool knows_rows;
    hl_metrics_sum rows; /* of metrics.csv, as the checkpoint tells them */
} hl_opened_model;

/* Reads config.ini, opens its task and lists its snapshots, of which there may be none; or opens the folder of an open
 * model. HL_BAD_FILE, naming file and remedy: no folder, one that holds neither, a config.ini that cannot be read, or
 * as hl_pretrained_open. HL_NO_MEMORY. To be ended by hl_opened_model_close, whatever this returns. */
hl_status hl_opened_model_open(hl_opened_model *run, const char *path);

typedef struct hl_model_options {
    hl_data_use use; /* of a run's data (train/setup_data.h): with HL_DATA_TOKENS its files need not be there, and it
                        has no examples */
    /* On what an open model is asked; NULL: not given. */
    const char *task, *file;      /* task.name, task.file */
    const char *const *overrides; /* "section.key=value" (train/setup_pretrained.h), n of them */
    int n_overrides;
    bool any_classifier; /* also one of several labels at once or of numbers, else it counts as no output layer */
} hl_model_options;

/* The same with options. An open model has the examples of task.file, which are scored, all of which are then its
 * validation set; the first patterns.examples of them stand in the place of a last snapshot. HL_INVALID: as
 * hl_setup_pretrained, or overrides of a run other than task.line_mb. */
hl_status hl_opened_model_open_with(hl_opened_model *run, const char *path, hl_model_options options);

/* A zeroed or already closed run is allowed. */
void hl_opened_model_close(hl_opened_model *run);

/* HL_BAD_FILE, saying what to set, where there is no snapshot. */
hl_status hl_opened_model_check_steps(const hl_opened_model *run);

/* The snapshot of a step, below 0 the last one, which is read once and stands until the run is closed; another stands
 * until the next call. Of an open model with examples the last one is what its weights do with these, which it is run
 * on once; it has no other. HL_INVALID naming steps that there are, where this is none of them; HL_BAD_FILE (also one
 * that is of another step, or of a task of other relations, and as hl_opened_model_check_steps), HL_NO_MEMORY. */
hl_status hl_opened_model_snapshot(hl_opened_model *run, int64_t step, const hl_snapshot **snapshot);

/* The text of metrics.csv, the run's own; NULL where there is none. HL_BAD_FILE where it is damaged, or does not begin
 * with the rows that checkpoint.safetensors, if there is one, tells of (which is read for it where its weights have not
 * been loaded); HL_NO_MEMORY. */
hl_status hl_opened_model_metrics(hl_opened_model *run, const char **text);

/* Makes the model with weights of the run: those of `step` where a file has them (checkpoint.safetensors, a kept
 * checkpoint), else (or where `step` is below 0) of checkpoint.safetensors, else of model.safetensors; weights_step
 * tells which. Of a model that is examined those are of its two steps. A call for another step replaces them, one for
 * the same step, or theirs, leaves them. HL_BAD_FILE (also where there are none yet, or where they were trained with
 * another config than the run's; of an open model, where a matrix of its head is missing), HL_NO_MEMORY. */
hl_status hl_opened_model_load(hl_opened_model *run, int64_t step);

HL_END_DECLS

#endif
