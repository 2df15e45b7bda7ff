/* Runs an opened model over a treebank, in a pass with memory of its own (heads/treebank_pass.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/treebank_pass.h"
#include "study/model.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

enum { HL_TREEBANK_RUN_ROWS = 2048 }; /* run at once: enough for full speed, little memory */

/* Gives the taker the maps of the opened model, which must have been loaded; with `null`, those of a model of its shape
 * with the weights that an untrained run draws from the run's seed. If there are `counts`, sets the hits of heads
 * instead (hl_treebank_pass_count) and uses only the taker's progress. HL_NO_MEMORY, HL_NOT_FINITE, or the failure of
 * the taker's progress. */
hl_status hl_treebank_run(const hl_opened_model *opened, bool null, const hl_treebank *treebank, hl_syntax *counts,
                          const hl_treebank_taker *taker);

/* *bytes: what this needs without `null`; the model need not be loaded. *null: what it needs more with it. HL_INVALID,
 * HL_NO_MEMORY. */
hl_status hl_treebank_run_bytes(const hl_opened_model *opened, const hl_treebank *treebank, size_t *bytes,
                                size_t *null);

HL_END_DECLS
