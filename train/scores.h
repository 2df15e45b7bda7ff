/* How good a model's answers are, over all targets of a validation or of a file.
 *
 * An answer is the class with the largest logit; if several are equal, the first. For a class c, `cases` counts the
 * targets that are c, `found` the answers that are c, and `right` the answers that are c where the target is c too. A
 * target of HL_IGNORE has a label that the model does not know. Its answer counts as found, never as right, and it is
 * not a case of any class.
 *     precision = right / found    recall = right / cases    F1 = 2 right / (cases + found)
 *     macro F1: the mean of F1 over the classes that have a case, as scikit-learn's f1_score(average="macro",
 *               labels=the classes with a case)
 *     micro F1: 2 (all right) / (all cases + all found), as its average="micro" with labels=all classes; the accuracy,
 *               if all labels are known */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/batch.h"
#include "core/ops/cross_entropy.h"
#include "data/predictors.h"
#include "data/text/scored_text.h"
#include "data/vocabulary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_CONFUSION_CLASSES = 512 }; /* with more classes, there is no confusion matrix */

/* Counts. They do not depend on the order of targets. */
typedef struct hl_class_counts {
    int64_t n_classes;              /* C */
    int64_t n_targets;              /* including those with an unknown label */
    int64_t *cases, *found, *right; /* (C); owned by `cases`, in one block with the matrix */
    int64_t *confusion;             /* (C, C): row: the target's class, column: the answer; NULL above
                                       HL_CONFUSION_CLASSES */
} hl_class_counts;

/* The bytes that counts for n_classes classes need. */
size_t hl_class_counts_bytes(int64_t n_classes);

/* Allocates all memory, n_classes >= 1, and counts nothing yet. HL_NO_MEMORY; after success, free it with
 * hl_class_counts_free, which also accepts zeroed counts. */
hl_status hl_class_counts_init(hl_class_counts *counts, int64_t n_classes);
void hl_class_counts_free(hl_class_counts *counts);

/* Sets all counts to zero. */
void hl_class_counts_clear(hl_class_counts *counts);

/* Adds n answers: logits (n, C), and the targets' ids (n) in [0, C) or HL_IGNORE. Allocates nothing. */
void hl_class_counts_add(hl_class_counts *counts, const hl_real *logits, const int32_t *ids, int64_t n);

/* Adds one answer with several labels. The answer contains each label whose logit (C) is 0 or above. The correct labels
 * are those with is[c] (C) not 0. n_targets increases by the number of labels in the answer. Returns whether the whole
 * answer is right. */
bool hl_class_counts_add_labels(hl_class_counts *counts, const hl_real *logits, const int32_t *is);

/* The scores of one class; NaN if the divisor is 0. */
typedef struct hl_class_score {
    double precision, recall, f1;
} hl_class_score;

hl_class_score hl_class_score_of(const hl_class_counts *counts, int64_t id);

/* The predictors of a chain (data/predictors.h) on the same targets as the model, in nats: the loss of each, and the
 * mean Kullback-Leibler divergence KL(predictor || model) over the positions.
 * Negative: does not apply. */
typedef struct hl_predictor_scores {
    double loss[HL_PREDICTORS], kl[HL_PREDICTORS];
} hl_predictor_scores;

/* Adds the positions of a batch of chains, each of which has a target; logits (N, C). */
void hl_predictor_scores_add(hl_predictor_scores *sums, const hl_batch *batch, const hl_real *logits, int64_t C);

/* A negative value does not apply. */
typedef struct hl_scores {
    double loss;       /* nats, mean over the targets that the model knows; 0 if there are none */
    double accuracy;   /* share of all targets */
    double perplexity; /* exp(loss); infinity if that is too large */
    double bits_per_character, bits_per_word; /* the sum of losses / ln 2 / the number of characters or words in the
                                                 text */
    double macro_f1, micro_f1;
    hl_predictor_scores predictors;
} hl_scores;

#define HL_NO_SCORES                        \
    ((hl_scores){ .loss = -1,               \
                  .accuracy = -1,           \
                  .perplexity = -1,         \
                  .bits_per_character = -1, \
                  .bits_per_word = -1,      \
                  .macro_f1 = -1,           \
                  .micro_f1 = -1,           \
                  .predictors = { { -1, -1, -1 }, { -1, -1, -1 } } })

/* Scores at least one target. `counts`: counts of the same targets; NULL: no F1. `text`: the text of the targets; NULL:
 * no bits. Bits per character or word do not apply if the text has no character or no word. */
hl_scores hl_scores_of(const hl_cross_entropy_result *sum, const hl_class_counts *counts, const hl_scored_text *text);

/* Add the content of scores.csv: class,cases,found,right,precision,recall,f1, in the order of ids, empty for NaN; and
 * of confusion.csv, whose first column, class, is the target's class; each other column is an answer. HL_NO_MEMORY is
 * left on the text. `names`: the names of the C classes. */
void hl_scores_csv_print(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text);
void hl_confusion_csv_print(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text);

HL_END_DECLS
