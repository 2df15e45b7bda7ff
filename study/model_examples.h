/* An opened model on examples that are not in a snapshot, such as the sentences of a file. */
#pragma once

#include "core/base/declarations.h"
#include "heads/snapshot.h"
#include "heads/writes.h"
#include "study/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Examines a model of text on the first sentences of a file. No snapshot may have been read, and no weights loaded. The
 * number of sentences is patterns.examples (32 if the run recorded none), or as many as fit into patterns.budget_mb
 * with two snapshots, but at least two if the file has two. The file is read to its end, as hl_setup_sentences reads
 * it. `path` must outlive the model. `options` report the progress. The null's weights are drawn as at the beginning of
 * a run, with the run's seed; for an open model, seed 1. A model whose weights are of step 0 has no null. HL_INVALID:
 * it is no model of text, or it is already examined; HL_BAD_FILE, HL_NO_MEMORY as hl_setup_sentences. */
hl_status hl_opened_model_examine(hl_opened_model *run, const char *path, const hl_data_options *options);

/* The length of the longest of its examples. */
int64_t hl_opened_model_longest(const hl_opened_model *run);

/* Whether the weights of this step are those of the null. */
bool hl_opened_model_is_null(const hl_opened_model *run, int64_t step);

/* Makes a model of the same shape with random weights, drawn as at the beginning of a run, with the model's seed.
 * HL_NO_MEMORY. The caller must free it with hl_model_free, on failure too. */
hl_status hl_opened_model_draw_null(const hl_model_source *source, hl_model *null);

/* Records the snapshot of one step of an examined model, without its words. HL_BAD_FILE, HL_NO_MEMORY as
 * hl_opened_model_load and hl_model_maps_run. */
hl_status hl_opened_model_record(hl_opened_model *run, int64_t step, hl_snapshot *snapshot);

/* Runs the model, which must have been loaded, on the examples (at least one). *maps becomes a snapshot whose `step` is
 * that of the weights. HL_INVALID if the examples are too long for the model, HL_NO_MEMORY, or the failure of
 * run->progress; *maps is then empty. On success free with hl_snapshot_free, before the model is closed. */
hl_status hl_model_maps_run(const hl_opened_model *run, const hl_examples *examples, hl_snapshot *maps);

/* Replaces the maps of a snapshot by shares of norms (heads/norm_shares.h), in place. The model's weights must have
 * been loaded. HL_NO_MEMORY. */
hl_status hl_model_maps_to_norms(hl_opened_model *run, const hl_snapshot *maps);

/* The options for measuring what the heads of this model write: its rows, threads, seed and progress. The model must
 * outlive them. */
hl_writes_options hl_opened_model_writes_options(const hl_opened_model *run);

HL_END_DECLS
