/* What the heads of an opened model find in a treebank (heads/syntax.h), and what heads with random weights find. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/syntax_cases.h"
#include "heads/syntax_label.h"
#include "heads/tree.h"
#include "study/model.h"
#include "study/treebank_run.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_JUDGED = 500 }; /* heads are judged on so many sentences: the first usable ones */

/* How whole trees are made from attention, for each of the sentences 1, 3, 5 .... The heads are chosen on the other
 * sentences. */
typedef enum hl_syntax_tree_kind {
    HL_SYNTAX_TREE_RIGHT,  /* right-branching */
    HL_SYNTAX_TREE_LEFT,   /* left-branching */
    HL_SYNTAX_TREE_OFFSET, /* the best fixed offset for all words; need not be a tree */
    HL_SYNTAX_TREE_HEAD,   /* the maximum spanning tree of the best head for all words */
    HL_SYNTAX_TREE_MEAN, /* the maximum spanning tree of the mean of some heads: those that are best for a relation and
                            earn it on the sentences that choose (hl_syntax_earned); no score if there are none */
    HL_SYNTAX_TREE_KINDS
} hl_syntax_tree_kind;

/* All arrays are owned. */
typedef struct hl_syntax_study {
    const hl_opened_model *model; /* not owned */
    hl_treebank *treebank;
    int64_t max_pieces;    /* the most pieces of a sentence that is used */
    hl_syntax found, null; /* null: empty if it was not requested */
    int64_t n_rows;
    int64_t *rows; /* (n_rows): -1 for all relations, then the relations with a row, by falling number of cases */
    hl_syntax_label *labels; /* (heads): the relation, among those with a row, that names each head */
    hl_effects effects;      /* the effects of named heads, if they were judged; the labels point to them */
    hl_status no_effects;    /* why they were not judged; HL_OK: they were, or this was not requested */
    bool has_trees;
    hl_tree_score trees[HL_SYNTAX_TREE_KINDS];
    int64_t tree_sentences; /* the number of scored sentences: those with one root */
    int64_t n_tree_heads;   /* the number of heads in the mean */
    hl_syntax_cases cases;  /* as hl_syntax_study_find_cases finds them */
} hl_syntax_study;

/* Reads the treebank. The model must outlive the study; it need not be loaded yet. HL_INVALID (the model reads no
 * text), HL_BAD_FILE (as hl_treebank_read), HL_NO_MEMORY, or the failure of `progress`. Must be freed with
 * hl_syntax_study_free, on failure too. */
hl_status hl_syntax_study_read(hl_syntax_study *study, const hl_opened_model *model,
                               const hl_syntax_question *question);

/* *making: the most bytes that hl_syntax_study_make needs, in addition to the treebank and the loaded model. *kept: the
 * part of them that stays until hl_syntax_study_free. HL_NO_MEMORY. */
hl_status hl_syntax_study_bytes(const hl_syntax_study *study, const hl_syntax_question *question, size_t *making,
                                size_t *kept);

/* Runs the model, which must have been loaded, over the treebank. If requested, it also runs a model of the same shape
 * with the weights that an untrained run draws from the run's seed, and makes trees. HL_NO_MEMORY, HL_NOT_FINITE, or
 * the failure of `progress`. */
hl_status hl_syntax_study_make(hl_syntax_study *study, const hl_syntax_question *question);

/* Judges how much the model needs the heads that earn a relation (heads/effect.h). `model` is the study's model and
 * must have been loaded. The loss is that of the model's own task (its validation masks, each next piece, or the tags
 * of its column), on sentences 1, 3, 5 ... of the first HL_SYNTAX_JUDGED ones, which chose nothing. In a label's ideal
 * pattern, every piece of a word attends evenly to the words that the relation pairs it with in the label's direction,
 * and within each word evenly to its pieces. Other rows keep the head's own weights. If there is no loss,
 * study->no_effects says why: an open model without examples, classes, standard input, or sentences that cannot be read
 * again. HL_BAD_FILE, HL_NO_MEMORY, HL_NOT_FINITE, or the failure of the question's progress. */
hl_status hl_syntax_study_judge(hl_syntax_study *study, hl_opened_model *model, const hl_syntax_question *question);

/* The bytes that this needs; 0 if there is no loss. The model need not be loaded. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_syntax_study_judge_bytes(const hl_syntax_study *study, const hl_syntax_question *question, size_t *bytes);

/* Finds, for every row, up to `each` cases in which the head is right, and as many in which it is wrong. Call it once.
 * HL_NO_MEMORY, or the failure of the question's progress. */
hl_status hl_syntax_study_find_cases(hl_syntax_study *study, const hl_syntax_question *question, int64_t each);

/* A zeroed or already freed one is allowed. */
void hl_syntax_study_free(hl_syntax_study *study);

/* "all", or the relation's name. */
const char *hl_syntax_study_name(const hl_syntax_study *study, int64_t relation);

/* "right-branching", "best head", ... */
const char *hl_syntax_tree_name(hl_syntax_tree_kind kind);

HL_END_DECLS
