/* Which heads the loss depends on: the measures of `heads importance`, which `heads grammar --importance` joins. */
#pragma once

#include "core/base/text.h"
#include "heads/all_subsets.h"
#include "heads/importance.h"
#include "heads/label.h"
#include "programs/heads/call.h"
#include "programs/results.h"
#include "study/model_source.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_heads_importance {
    const hl_model_source *run; /* not owned */
    hl_importance importance;   /* owned, as are labels and subsets */
    hl_label *labels;           /* by layer and head, of the snapshot whose examples these are */
    int64_t step, weights_step;
    bool has_subsets; /* with --shapley, as the next three */
    hl_all_subsets subsets;
    double shapley[HL_ALL_SUBSETS_MOST_HEADS];
    uint32_t smallest; /* the set of fewest heads that keeps HL_IMPORTANCE_KEPT of the accuracy */
} hl_heads_importance;

/* The share of the accuracy with all heads that the smallest set must keep. */
#define HL_IMPORTANCE_KEPT 0.99

/* Measures the heads of the snapshot of the command's step (-1: the last one), with --shapley also all sets of heads;
 * that these may take long goes to call->err. Several processes measure together. HL_INVALID (no such step, or none of
 * its weights; more heads than --shapley takes), HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. Ended by
 * hl_heads_importance_free, whatever this returns. */
hl_status hl_heads_importance_measure(hl_heads_importance *study, hl_heads_call *call);

/* A zeroed or already freed one is allowed. */
void hl_heads_importance_free(hl_heads_importance *study);

/* Adds one row per head, an explanation of the columns, and sentences: how far the two orders agree, decorative heads
 * (a label, and no effect) and silent workers (an effect, and no label); if all sets were measured, also Shapley values
 * and the smallest set. Only the first line, which has the run's path, may be longer than HL_TABLE_WIDTH. HL_NO_MEMORY
 * is left on the text. */
void hl_heads_importance_table(hl_text *text, const hl_heads_importance *study);

/* {"step", "weights_step", "examples", "loss", "rank_correlation", "heads": [{"layer", "head", "label", "importance",
 * "importance_error", "importance_normalised", "zero", "zero_error", "mean", "mean_error", "uniform", "uniform_error",
 * "decorative", "silent", "shapley"}], "smallest_set": {"heads": ["L0H2", ...], "loss", "accuracy"}}; null where it
 * is not known: without --shapley the last two. HL_NO_MEMORY is left on the text. */
void hl_heads_importance_json(hl_text *text, const hl_heads_importance *study);

/* ["L0H2", ...]: the names of the heads in a set. NULL: out of memory. */
json_t *hl_heads_set_json(const hl_model_config *shape, const bool *set);

/* The members of "heads" of one head; the context is an hl_heads_importance. As CSV they are columns, one row a head;
 * empty where it is null. */
void hl_heads_importance_row_of(const void *context, int64_t index, hl_row *row);
