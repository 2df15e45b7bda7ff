/* An opened model on examples that no file of a snapshot holds, such as the sentences of a file. */
#ifndef HL_STUDY_MODEL_EXAMPLES_H
#define HL_STUDY_MODEL_EXAMPLES_H

#include "core/base/declarations.h"
#include "heads/snapshot.h"
#include "heads/writes.h"
#include "study/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Examines a model of text, of which no snapshot was read and no weights were loaded yet, on the first sentences of a
 * file: its patterns.examples, of a run that recorded none 32, or as many as patterns.budget_mb has room for in two
 * snapshots, but at least two where there are two. The file is read as hl_setup_sentences does, to its end; `path` must
 * outlive the model, and `options` are those of its progress. The null's weights are drawn as a run's that begins, by
 * the run's seed, of an open model 1; a model of step 0 has no other. HL_INVALID: it is no model of text, or is
 * examined already; HL_BAD_FILE, HL_NO_MEMORY as hl_setup_sentences. */
hl_status hl_opened_model_examine(hl_opened_model *run, const char *path, const hl_data_options *options);

/* The length of the longest of its examples. */
int64_t hl_opened_model_longest(const hl_opened_model *run);

/* Whether the step's weights are the null's. */
bool hl_opened_model_is_null(const hl_opened_model *run, int64_t step);

/* Makes a model of the same shape with random weights, drawn as a run draws them that begins, by the model's seed.
 * HL_NO_MEMORY. Owned by the caller, on failure too: hl_model_free. */
hl_status hl_opened_model_draw_null(const hl_model_source *source, hl_model *null);

/* Records the snapshot of one of the steps of a model that is examined, without its words. HL_BAD_FILE, HL_NO_MEMORY as
 * hl_opened_model_load and hl_model_maps_run. */
hl_status hl_opened_model_record(hl_opened_model *run, int64_t step, hl_snapshot *snapshot);

/* Runs the model, which must have been loaded, on the examples (at least one): *maps is a snapshot whose `step` is the
 * weights'. HL_INVALID where they are too long for it, HL_NO_MEMORY, what run->progress fails with; it is then empty.
 * On success ended by hl_snapshot_free, before the model is closed. */
hl_status hl_model_maps_run(const hl_opened_model *run, const hl_examples *examples, hl_snapshot *maps);

/* Turns the maps of a snapshot of the model, whose weights must have been loaded, into shares of norms
 * (heads/norm_shares.h), where they lie: whoever reads the snapshot later finds the shares. HL_NO_MEMORY. */
hl_status hl_model_maps_to_norms(hl_opened_model *run, const hl_snapshot *maps);

/* How what the heads write is measured on this model: with its rows, threads, seed and progress. It must outlive the
 * options. */
hl_writes_options hl_opened_model_writes_options(const hl_opened_model *run);

HL_END_DECLS

#endif
