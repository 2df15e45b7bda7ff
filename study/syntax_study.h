/* What the heads of an opened model find in a treebank (heads/syntax.h), and what heads of random weights would. */
#ifndef HL_STUDY_SYNTAX_STUDY_H
#define HL_STUDY_SYNTAX_STUDY_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/syntax_cases.h"
#include "heads/syntax_label.h"
#include "heads/tree.h"
#include "study/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_syntax_question {
    const char *path;   /* the treebank */
    int64_t max_pieces; /* of a sentence; 0: as many as the model reads */
    bool subtypes;
    bool punct_and_root; /* have rows, too */
    bool null;           /* whether random weights are asked, too */
    bool trees;          /* whether whole trees are made */
    bool faithful;       /* whether heads are judged that earn a relation */
    int64_t least_cases; /* of a relation with a row, in all sentences */

    /* Told what is being done, and how much of it; its failure ends the study. NULL is allowed. */
    hl_status (*progress)(void *context, const char *what, int64_t done, int64_t total);
    void *context;
} hl_syntax_question;

enum { HL_SYNTAX_JUDGED = 500 }; /* sentences that heads are judged on: the first that can be used */

/* How whole trees are made of what heads attend to; for each of the sentences 1, 3, 5 ...; the heads are
 * chosen on the others. */
typedef enum hl_syntax_tree_kind {
    HL_SYNTAX_TREE_RIGHT,  /* right-branching */
    HL_SYNTAX_TREE_LEFT,   /* left-branching */
    HL_SYNTAX_TREE_OFFSET, /* the best fixed offset for all words, which need not be a tree */
    HL_SYNTAX_TREE_HEAD,   /* the maximum spanning tree of the best head for all words */
    HL_SYNTAX_TREE_MEAN, /* that of the mean of the heads that are best for a relation and there, where they are chosen,
                              earn it (hl_syntax_earned); without a score where there is none */
    HL_SYNTAX_TREE_KINDS
} hl_syntax_tree_kind;

/* All arrays are owned. */
typedef struct hl_syntax_study {
    const hl_opened_model *model; /* not owned */
    hl_treebank *treebank;
    int64_t max_pieces;    /* of a sentence that is used */
    hl_syntax found, null; /* null: empty where it was not asked for */
    int64_t n_rows;
    int64_t *rows; /* (n_rows): -1, which stands for all relations, then those with a row, the most cases first */
    hl_syntax_label *labels; /* (heads): by which of the relations with a row each head is named */
    hl_effects effects;      /* of those that have one, where they were judged; their labels point to it */
    hl_status no_effects;    /* why they were not; HL_OK: they were, or were not asked about */
    bool has_trees;
    hl_tree_score trees[HL_SYNTAX_TREE_KINDS];
    int64_t tree_sentences; /* scored: those with one root */
    int64_t n_tree_heads;   /* of the mean */
    hl_syntax_cases cases;  /* as hl_syntax_study_find_cases finds them */
} hl_syntax_study;

/* Reads the treebank; the model, which must outlive the study, need not have been loaded. HL_INVALID (the model reads
 * no text), HL_BAD_FILE (as hl_treebank_read), HL_NO_MEMORY, or as `progress` fails. Ended by hl_syntax_study_free,
 * whatever this returns. */
hl_status hl_syntax_study_read(hl_syntax_study *study, const hl_opened_model *model,
                               const hl_syntax_question *question);

/* *making: what hl_syntax_study_make takes at most, beside the treebank and the loaded model; *kept: what of it stays
 * until hl_syntax_study_free. HL_NO_MEMORY. */
hl_status hl_syntax_study_bytes(const hl_syntax_study *study, const hl_syntax_question *question, size_t *making,
                                size_t *kept);

/* Runs the model, which must have been loaded, over the treebank; then, where asked, one of the same shape with weights
 * as an untrained run draws them from the run's seed, and makes trees. HL_NO_MEMORY, HL_NOT_FINITE, or as `progress`
 * fails. */
hl_status hl_syntax_study_make(hl_syntax_study *study, const hl_syntax_question *question);

/* Judges the heads that earn a relation, as `model`, which is the study's and has been loaded, needs them
 * (heads/effect.h): on those of the first HL_SYNTAX_JUDGED sentences that chose nothing, 1, 3, 5 ..., with the loss of
 * the model's own task: its masks of validation, each next piece, or the tags of its column. In a label's ideal pattern
 * every piece of a word attends evenly to the words that the relation pairs it with in the label's direction, in each
 * evenly to its pieces; other rows keep the head's own weights. Where there is no loss, study->no_effects says why: of
 * an open model without examples, of classes, of standard input, or where the sentences cannot be read once more.
 * HL_BAD_FILE, HL_NO_MEMORY, HL_NOT_FINITE, or as the question's progress fails. */
hl_status hl_syntax_study_judge(hl_syntax_study *study, hl_opened_model *model, const hl_syntax_question *question);

/* What that takes; 0 where there is no loss. `model` needs no numbers. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_syntax_study_judge_bytes(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_model *model, size_t *bytes);

/* Finds up to `each` examples of every row that are right, and as many that are wrong. Call once. HL_NO_MEMORY, or as
 * the question's progress fails. */
hl_status hl_syntax_study_find_cases(hl_syntax_study *study, const hl_syntax_question *question, int64_t each);

/* A zeroed or already freed one is allowed. */
void hl_syntax_study_free(hl_syntax_study *study);

/* "all", or the relation's name. */
const char *hl_syntax_study_name(const hl_syntax_study *study, int64_t relation);

/* "right-branching", "best head", ... */
const char *hl_syntax_tree_name(hl_syntax_tree_kind kind);

HL_END_DECLS

#endif
