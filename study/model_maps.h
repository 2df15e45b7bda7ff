/* What the heads of a run's model attend to on examples that its snapshots do not hold. */
#ifndef HL_STUDY_MODEL_MAPS_H
#define HL_STUDY_MODEL_MAPS_H

#include "core/declarations.h"
#include "heads/recorder.h"
#include "heads/snapshot.h"
#include "study/model.h"

HL_BEGIN_DECLS

/* The maps of a run's model on a caller's examples, as a snapshot, whose `step` is the weights'. */
typedef struct hl_model_maps {
    hl_snapshot maps;     /* its arrays are the recorder's, but for the list of layers */
    hl_recorder recorder; /* which never writes a file; owned */
} hl_model_maps;

/* Runs the model, which must have been loaded, on the examples (at least one). HL_INVALID where they are too long for
 * it, HL_NO_MEMORY; it is then empty. On success ended by hl_model_maps_free, before the run is closed. */
hl_status hl_model_maps_run(hl_model_maps *made, const hl_opened_model *run, const hl_examples *examples);

/* A zeroed or already freed one is allowed. */
void hl_model_maps_free(hl_model_maps *made);

HL_END_DECLS

#endif
