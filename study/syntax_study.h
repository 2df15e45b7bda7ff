/* What the heads of an opened model find in a treebank (heads/syntax.h), and what heads of random weights would. */
#ifndef HL_STUDY_SYNTAX_STUDY_H
#define HL_STUDY_SYNTAX_STUDY_H

#include "core/declarations.h"
#include "core/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/syntax_cases.h"
#include "heads/tree.h"
#include "heads/treebank_pass.h"
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
    int64_t least_cases; /* of a relation with a row, in all sentences */

    /* Told what is being done, and how much of it; its failure ends the study. NULL is allowed. */
    hl_status (*progress)(void *context, const char *what, int64_t done, int64_t total);
    void *context;
} hl_syntax_question;

enum { HL_SYNTAX_LEAST_CASES = 100 };

/* Whether a relation of that name has a row unless one asks: all but punct and root do. */
bool hl_syntax_has_row(const char *relation);

/* How whole trees are made of what heads attend to; each of the sentences 1, 3, 5 ..., what is chosen on the others. */
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

/* Chooses the rows of what was found, which hl_syntax_study_make does by itself. Call once. HL_NO_MEMORY. */
hl_status hl_syntax_study_choose_rows(hl_syntax_study *study, const hl_syntax_question *question);

/* Runs a model of the same shape, mostly the study's own, over the treebank: counts where there are `counts`
 * (hl_treebank_pass_count), else gives all maps to the taker. HL_NO_MEMORY, or as the taker's progress fails. */
hl_status hl_syntax_study_run(const hl_syntax_study *study, const hl_model *model, hl_syntax *counts,
                              const hl_treebank_taker *taker);

/* Finds up to `each` examples of every row that are right, and as many that are wrong. Call once. HL_NO_MEMORY, or as
 * the question's progress fails. */
hl_status hl_syntax_study_find_cases(hl_syntax_study *study, const hl_syntax_question *question, int64_t each);

/* A zeroed or already freed one is allowed. */
void hl_syntax_study_free(hl_syntax_study *study);

/* "all", or the relation's name. */
const char *hl_syntax_study_name(const hl_syntax_study *study, int64_t relation);

/* The relation that the head earns as a label; -1: none. Of several: the one with the most cases of those whose best
 * head it is, as sentences 0, 2, 4 ... choose it; where it is the best of none, the one with the largest lift held out;
 * the first of equals. */
int64_t hl_syntax_study_earned(const hl_syntax_study *study, int64_t head);

/* "right-branching", "best head", ... */
const char *hl_syntax_tree_name(hl_syntax_tree_kind kind);

HL_END_DECLS

#endif
