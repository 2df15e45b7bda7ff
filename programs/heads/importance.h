/* heads --importance: which heads the loss depends on, and which only look as if it did. */
#ifndef HL_PROGRAMS_HEADS_IMPORTANCE_H
#define HL_PROGRAMS_HEADS_IMPORTANCE_H

#include "heads/all_subsets.h"
#include "heads/importance.h"
#include "heads/label.h"
#include "programs/heads/command.h"
#include "study/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct hl_heads_importance {
    const hl_opened_model *run; /* not owned */
    hl_importance importance;   /* owned, as are labels and subsets */
    hl_label *labels;           /* by layer and head, of the snapshot whose examples these are */
    int64_t step, weights_step;
    bool has_subsets; /* with --shapley, as the next three */
    hl_all_subsets subsets;
    double shapley[HL_ALL_SUBSETS_MOST_HEADS];
    uint32_t smallest; /* the set of fewest heads that keeps HL_IMPORTANCE_KEPT of the accuracy */
} hl_heads_importance;

/* The share of all heads' accuracy that the smallest set is to keep. */
#define HL_IMPORTANCE_KEPT 0.99

/* Whether the head looks as if it did something, for it has earned a label, but without it the loss hardly changes:
 * by less, with three standard errors added, than a tenth of the largest growth of all heads. */
bool hl_heads_decorative(const hl_heads_importance *study, int64_t index);

/* Whether the head has no label (it is mixed), but without it the loss grows by more than three standard errors, and
 * by at least a tenth of the largest growth of all heads. */
bool hl_heads_silent(const hl_heads_importance *study, int64_t index);

/* Measures the heads of the snapshot of command->step (-1: the last one) and prints a table to `out`, or writes what
 * the command asks for to its files; that all sets may take long goes to `err`. HL_INVALID (no such step, or none of
 * its weights; more heads than --shapley takes), HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_importance_show(hl_opened_model *run, const hl_heads_command *command, FILE *out, FILE *err);

#endif
