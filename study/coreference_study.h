/* What the heads of an opened model find in a text with annotated mentions (heads/coreference.h), and what heads with
 * random weights find. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/coreference.h"
#include "heads/coreference.h"
#include "heads/coreference_cases.h"
#include "study/model.h"
#include "study/treebank_run.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* All is owned but the model. */
typedef struct hl_coreference_study {
    const hl_opened_model *model;
    hl_coreference_text text;
    int64_t max_pieces;                /* of a window */
    hl_coreference_counts found, null; /* null: empty if it was not requested, and its rows have no cases */
    hl_coreference_row rows[HL_COREFERENCE_ROWS], null_rows[HL_COREFERENCE_ROWS];
    hl_coreference_cases cases; /* as hl_coreference_study_find_cases finds them */
} hl_coreference_study;

/* Reads the text. Of the question, path, max_pieces, null, progress and context are used. The model must outlive the
 * study; it need not be loaded yet. HL_INVALID (the model reads no text), HL_BAD_FILE (as hl_coreference_read),
 * HL_NO_MEMORY, or the failure of `progress`. Must be freed with hl_coreference_study_free, on failure too. */
hl_status hl_coreference_study_read(hl_coreference_study *study, const hl_opened_model *model,
                                    const hl_syntax_question *question);

/* *bytes: what hl_coreference_study_make needs, in addition to the text and the loaded model. HL_INVALID,
 * HL_NO_MEMORY. */
hl_status hl_coreference_study_bytes(const hl_coreference_study *study, const hl_syntax_question *question,
                                     size_t *bytes);

/* Runs the model, which must have been loaded, over the text; if requested, also one of the same shape with the weights
 * that an untrained run draws from the run's seed. HL_NO_MEMORY, HL_NOT_FINITE, or the failure of `progress`. */
hl_status hl_coreference_study_make(hl_coreference_study *study, const hl_syntax_question *question);

/* Runs the made study's model again, until `each` right and wrong examples have been found for each row. They are put
 * into study->cases. HL_NO_MEMORY, HL_NOT_FINITE, or the failure of `progress`. */
hl_status hl_coreference_study_find_cases(hl_coreference_study *study, const hl_syntax_question *question,
                                          int64_t each);

/* A zeroed or already freed one is allowed. */
void hl_coreference_study_free(hl_coreference_study *study);

HL_END_DECLS
