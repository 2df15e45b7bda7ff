/* How often, and when, a head of each label is born in the runs of a sweep.
 *
 * In one run, a label is born at the first recorded step from which on some head of the run has it at every later
 * recorded step, until the end. Heads have labels by the rules of heads/label.h, on the examples of each snapshot.
 * `mixed` and `uniform`, which stand for no skill, are left out.
 *
 * births.csv has a row for each variant and each label that was born in at least one run of the sweep:
 *   cell,<one column per varied key>,label,runs,born,first,median,last
 * runs: finished runs with snapshots. born: in how many of them it was born; first, median and last are the steps,
 * empty if born is 0. The median of an even number is the mean of the two in the middle. */
#pragma once

#include "core/base/text_grid.h"
#include "heads/label.h"
#include "programs/ablate/plan.h"
#include "programs/ablate/result.h"

typedef struct hl_ablate_label {
    hl_label_text text;
    int64_t *steps; /* (cells): of each run's birth; -1: not born; owned */
    bool seen;      /* in the snapshot that is read */
} hl_ablate_label;

typedef struct hl_ablate_births {
    const hl_ablate_plan *plan; /* not owned */
    hl_ablate_label *labels;    /* in the order in which they were first found; owned */
    int64_t n_labels;
    bool *read;       /* (cells): whether the run has snapshots; owned */
    hl_status unread; /* HL_BAD_FILE, with the reason, if a finished run is damaged */
} hl_ablate_births;

/* Reads the snapshots of all finished runs. A run whose snapshots cannot be read counts as one without, and `unread`
 * says why. HL_NO_MEMORY. Must be freed on failure too. */
hl_status hl_ablate_births_make(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_ablate_births *births);

void hl_ablate_births_free(hl_ablate_births *births);

/* Adds the content of births.csv. HL_NO_MEMORY is left on the text. */
void hl_ablate_births_csv(const hl_ablate_births *births, hl_text *text);

/* The same for people: a row for each variant and label that was born there. A grid without rows but the titles if
 * there is none. HL_NO_MEMORY; must be freed on failure too. */
hl_status hl_ablate_births_grid(const hl_ablate_births *births, hl_text_grid *grid);
