/* What the heads of an opened model attend to on examples that no file of a snapshot holds. */
#ifndef HL_STUDY_MODEL_MAPS_H
#define HL_STUDY_MODEL_MAPS_H

#include "core/base/declarations.h"
#include "heads/snapshot.h"
#include "study/model.h"

HL_BEGIN_DECLS

/* Runs the model, which must have been loaded, on the examples (at least one): *maps is a snapshot whose `step` is the
 * weights'. HL_INVALID where they are too long for it, HL_NO_MEMORY, what run->progress fails with; it is then empty.
 * On success ended by hl_snapshot_free, before the model is closed. */
hl_status hl_model_maps_run(const hl_opened_model *run, const hl_examples *examples, hl_snapshot *maps);

HL_END_DECLS

#endif
