/* What every head of a run does, in numbers, for the table, the JSON output and the report. */
#pragma once

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
    hl_head_metrics metrics; /* has the layer and the head, too */
    hl_label label;
    hl_distance distance;
    const hl_head_effect *effect; /* NULL if the study has no effects */
    const hl_head_effect *group;  /* the joint effect of the heads in its layer with the same label; NULL if there is no
                                     other one */
} hl_heads_row;

typedef struct hl_heads_study {
    int64_t step, n_examples;
    const char *file; /* the file with the examples of an examined model, `there` of them; not owned; NULL: a run's own
                         examples */
    int64_t there;
    bool of_open;                   /* the study is of an open model, which has neither steps nor effects */
    hl_heads_row *rows;             /* of all heads, by layer and head; owned */
    hl_label *labels;               /* the same labels; owned */
    hl_syntax_history syntax;       /* what heads found in the run's own treebank up to this step and later; owned */
    const hl_syntax_label *seconds; /* (n): each head's second label, a relation of a treebank: of the run's own one at
                                       this step, or of another one that the caller sets; not owned; NULL: none is
                                       known */
    hl_status no_syntax; /* HL_BAD_FILE if the run's own treebank or syntax.csv is damaged; `syntax` is then empty */
    double *nulls;       /* (n): the score of each label at step 0 (hl_heads_study_null); owned; NULL: not known */
    int64_t n;
    bool has_effects;
    hl_effects effects;   /* owned */
    int64_t weights_step; /* the step of the weights that the effects were measured with; -1: not known */
    hl_status no_effects; /* why there are none */
    bool of_words;        /* whether hl_heads_study_join_words was called */
} hl_heads_study;

/* The labels of all heads, by layer and head. The caller frees them with hl_free. NULL if out of memory. */
hl_label *hl_heads_labels(const hl_snapshot *snapshot);

/* Loads weights for a snapshot of this step, as hl_opened_model_load does. HL_INVALID if the run has no weights yet, or
 * if `exactly` is set and the weights of the step were not kept; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_load_weights(hl_opened_model *run, int64_t step, bool exactly);

/* Measures all heads of the snapshot, and their effects with weights of the run, which this loads
 * (hl_opened_model_load). `exactly`: only use weights of the snapshot's own step. If the run has no suitable weights,
 * or no example has a scored token, there are no effects, and no_effects says why. HL_BAD_FILE (damaged weights),
 * HL_NOT_FINITE, HL_NO_MEMORY. On success free with hl_heads_study_free. */
hl_status hl_heads_study_make(hl_heads_study *study, hl_opened_model *run, const hl_snapshot *snapshot, bool exactly);

/* Measures only what the heads of a snapshot do: fills the rows and labels of a study that has none. HL_NO_MEMORY;
 * free with hl_heads_study_free on failure too. */
hl_status hl_heads_study_patterns(hl_heads_study *study, const hl_snapshot *snapshot, int threads);

/* As hl_heads_study_make, for the run's last snapshot. HL_BAD_FILE if there is none, and for the reasons of
 * no_syntax. */
hl_status hl_heads_study_last(hl_heads_study *study, hl_opened_model *run);

/* Measures the rows' metrics and distances again, for words instead of tokens (heads/word_join.h). Labels and effects
 * stay. `snapshot` is the one that was studied. HL_INVALID if its words are not known; HL_NO_MEMORY. */
hl_status hl_heads_study_join_words(hl_heads_study *study, const hl_snapshot *snapshot);

/* Measures the null: the score of each head's label in the run's snapshot of step 0, or for an examined model in the
 * one of random weights. Does nothing if there is no such snapshot or if the study is of it. Unless the studied
 * snapshot is the last one, it no longer stands after this call. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_study_null(hl_heads_study *study, hl_opened_model *run);

/* The null of a head; NAN if it is not known. */
double hl_heads_null(const hl_heads_study *study, const hl_heads_row *row);

/* The effects, if they were measured with the weights of the snapshot's own step; else NULL. */
const hl_effects *hl_heads_study_effects(const hl_heads_study *study);

/* The importance of a head, which must have effects, relative to its layer (hl_effect_in_layer). */
double hl_heads_importance_in_layer(const hl_heads_study *study, const hl_heads_row *row);

/* A zeroed or already freed study is allowed. */
void hl_heads_study_free(hl_heads_study *study);

/* Whether the head does what its label says. If its own verdict is yes, it is that one; otherwise the verdict of its
 * group, if it is known, and else its own. *by_group: whether the group changed the verdict. Unknown without
 * effects. */
hl_faithful hl_heads_verdict(const hl_heads_row *row, bool *by_group);

HL_END_DECLS
