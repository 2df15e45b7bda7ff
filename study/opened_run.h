/* A run's folder, opened to be looked at: its config, its task, the snapshots of its patterns, its weights. It may be
 * opened while the run goes on: it is not locked, and every file of a run is whole at every moment. Nothing in it is
 * written. */
#ifndef HL_STUDY_OPENED_RUN_H
#define HL_STUDY_OPENED_RUN_H

#include "core/declarations.h"
#include "data/dataset.h"
#include "heads/snapshot.h"
#include "layers/model.h"
#include "train/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_opened_run {
    char *path, *patterns; /* the folders; owned, as is all below */
    char *name;            /* the folder's own, also where the path ends in "." or "/" */
    hl_config config;
    hl_model_config shape; /* of its model */
    hl_dataset *dataset;
    const char *const *relations; /* the names of the task's gold relations; not owned */
    int64_t *steps;               /* of its snapshots, n_steps of them, ascending */
    size_t n_steps;
    hl_model model;       /* once hl_opened_run_load has been called */
    int64_t weights_step; /* of the model's weights; -1: none yet, or not known */
} hl_opened_run;

/* Reads config.ini, opens its task and lists its snapshots, of which there may be none. HL_BAD_FILE, naming file and
 * remedy: no folder, one that holds no run, a config.ini that cannot be read. HL_NO_MEMORY. To be ended by
 * hl_opened_run_close, whatever this returns. */
hl_status hl_opened_run_open(hl_opened_run *run, const char *path);

/* A zeroed or already closed run is allowed. */
void hl_opened_run_close(hl_opened_run *run);

/* HL_BAD_FILE, saying what to set, where there is no snapshot. */
hl_status hl_opened_run_check_steps(const hl_opened_run *run);

/* Reads the snapshot of a step. HL_INVALID naming steps that there are, where this is none of them; HL_BAD_FILE
 * (also one that is of another step, or of a task of other relations), HL_NO_MEMORY. On success ended by
 * hl_snapshot_free, before the run is closed. */
hl_status hl_opened_run_snapshot(const hl_opened_run *run, int64_t step, hl_snapshot *snapshot);

/* Whether a file of weights is there already. HL_NO_MEMORY. */
hl_status hl_opened_run_has_weights(const hl_opened_run *run, bool *has);

/* Makes the model with weights of the run: those of `step` where a file has them (checkpoint.safetensors, a kept
 * checkpoint), else (or where `step` is below 0) of checkpoint.safetensors, else of model.safetensors; weights_step
 * tells which. Another call replaces them. HL_BAD_FILE (also where there are none yet, or where they were trained with
 * another config than the run's), HL_NO_MEMORY. */
hl_status hl_opened_run_load(hl_opened_run *run, int64_t step);

HL_END_DECLS

#endif
