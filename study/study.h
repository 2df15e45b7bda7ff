/* What every head of a run does, in figures, for the table, the JSON and the report. */
#ifndef HL_STUDY_STUDY_H
#define HL_STUDY_STUDY_H

#include "core/base/declarations.h"
#include "heads/distance.h"
#include "heads/effect.h"
#include "heads/head_set.h"
#include "heads/label.h"
#include "heads/metrics.h"
#include "heads/snapshot.h"
#include "study/model.h"
#include "study/syntax_history.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_heads_row {
    hl_head_metrics metrics; /* its layer and head, too */
    hl_label label;
    hl_distance distance;
    const hl_head_effect *effect; /* NULL where the study has no effects */
    const hl_head_effect *group;  /* of the heads of its layer with its label, together; NULL where it is alone */
} hl_heads_row;

typedef struct hl_heads_study {
    int64_t step, n_examples;
    const char *file; /* that the examples of an examined model stand in, `there` of them; not owned; NULL: the run's */
    int64_t there;
    bool of_open;                   /* of an open model, which has neither steps nor effects */
    hl_heads_row *rows;             /* of all heads, by layer and head; owned */
    hl_label *labels;               /* the same labels; owned */
    hl_syntax_history syntax;       /* what heads found in the run's own treebank up to this step and later; owned */
    const hl_syntax_label *seconds; /* (n): by which relation of a treebank each head is named, its second label: of the
                                       run's own at this step, or of another that the caller sets; not owned; NULL: none
                                       is known */
    hl_status no_syntax; /* HL_BAD_FILE where the run's own treebank or syntax.csv is damaged: `syntax` is empty then */
    double *nulls;       /* (n), the score of each label at step 0 (hl_heads_study_null); owned, NULL: none is known */
    int64_t n;
    bool has_effects;
    hl_effects effects;   /* owned */
    int64_t weights_step; /* of the weights that the effects are of; -1: not known */
    hl_status no_effects; /* why there are none */
    bool of_words;        /* whether hl_heads_study_join_words was called */
} hl_heads_study;

/* The labels of all heads, by layer and head, in new memory: hl_free. NULL when out of memory. */
hl_label *hl_heads_labels(const hl_snapshot *snapshot);

/* Loads weights for a snapshot of that step, as hl_opened_model_load does. HL_INVALID where the run has none yet, or
 * `exactly` those of the step are asked for and were not kept; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_load_weights(hl_opened_model *run, int64_t step, bool exactly);

/* Measures all heads of the snapshot, and their effects with weights of the run (hl_opened_model_load, which this
 * calls). `exactly`: only with weights of the snapshot's very step. Where the run has no fit weights, or no example a
 * scored token, there are no effects, and no_effects says why. HL_BAD_FILE (weights that are damaged), HL_NOT_FINITE,
 * HL_NO_MEMORY; on success ended by hl_heads_study_free. */
hl_status hl_heads_study_make(hl_heads_study *study, hl_opened_model *run, const hl_snapshot *snapshot, bool exactly);

/* The same of the run's last snapshot. HL_BAD_FILE where there is none, and as no_syntax, too. */
hl_status hl_heads_study_last(hl_heads_study *study, hl_opened_model *run);

/* Measures the rows' metrics and distances of words instead of tokens (heads/word_join.h), but no label and no effect.
 * `snapshot`: the one that was studied. HL_INVALID where its words are not known; HL_NO_MEMORY. */
hl_status hl_heads_study_join_words(hl_heads_study *study, const hl_snapshot *snapshot);

/* Measures the null: the score of each head's label in the run's snapshot of step 0, of an examined model that of
 * random weights. Does nothing where there is none, or the study is of it. After what reads the snapshot that was
 * studied, unless it is the last one: it does not stand any more. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_study_null(hl_heads_study *study, hl_opened_model *run);

/* The null of a head; NAN where it is not known. */
double hl_heads_null(const hl_heads_study *study, const hl_heads_row *row);

/* The effects where they are of the weights of the snapshot's very step; else NULL. */
const hl_effects *hl_heads_study_effects(const hl_heads_study *study);

/* The importance of a head that has effects beside its layer (hl_effect_in_layer). */
double hl_heads_importance_in_layer(const hl_heads_study *study, const hl_heads_row *row);

/* A zeroed or already freed study is allowed. */
void hl_heads_study_free(hl_heads_study *study);

/* Whether the head does what its label says: its own verdict where that is yes, else its group's where it has one and
 * that is known, else its own; *by_group: whether the group changed its own. Without effects unknown. */
hl_faithful hl_heads_verdict(const hl_heads_row *row, bool *by_group);

HL_END_DECLS

#endif
