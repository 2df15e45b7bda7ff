/* How good a model's answers are, over all targets of a validation or of a file.
 *
 * Of class c: cases are the targets that it is, found the answers that say it, right both at once. An answer is the
 * class of the largest logit, the first of equals. A target of HL_IGNORE has a label that the model does not know: what
 * is answered there counts as found, never as right, and it is no class's case.
 *     precision = right / found    recall = right / cases    F1 = 2 right / (cases + found)
 *     macro F1: the mean of F1 over the classes that have a case, as scikit-learn's f1_score(average="macro",
 *               labels=the classes with a case)
 *     micro F1: 2 (all right) / (all cases + all found), as its average="micro" with labels=all classes; the accuracy,
 *               where all labels are known */
#ifndef HL_TRAIN_SCORES_H
#define HL_TRAIN_SCORES_H

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/ops/cross_entropy.h"
#include "data/text/scored_text.h"
#include "data/vocabulary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_CONFUSION_CLASSES = 512 }; /* more classes have no confusion matrix */

/* Counts, which depend on no order of targets. */
typedef struct hl_class_counts {
    int64_t n_classes;              /* C */
    int64_t n_targets;              /* those of an unknown label, too */
    int64_t *cases, *found, *right; /* (C); owned by `cases`, in one block with the matrix */
    int64_t *confusion;             /* (C, C): the target's class down, the answer across; NULL above
                                       HL_CONFUSION_CLASSES */
} hl_class_counts;

/* The bytes that counts of so many classes take. */
size_t hl_class_counts_bytes(int64_t n_classes);

/* Takes all memory, n_classes >= 1, and counts nothing yet. HL_NO_MEMORY; on success ended by hl_class_counts_free,
 * which takes a zeroed one, too. */
hl_status hl_class_counts_init(hl_class_counts *counts, int64_t n_classes);
void hl_class_counts_free(hl_class_counts *counts);

/* Begins anew. */
void hl_class_counts_clear(hl_class_counts *counts);

/* Adds n answers: logits (n, C), the targets' ids (n) in [0, C) or HL_IGNORE. Allocates nothing. */
void hl_class_counts_add(hl_class_counts *counts, const hl_real *logits, const int32_t *ids, int64_t n);

/* Adds one answer with several labels at once: said is each label whose logit (C) is 0 or above, right those whose
 * is[c] (C) is not 0. n_targets counts what is said. Returns whether all of it is right. */
bool hl_class_counts_add_labels(hl_class_counts *counts, const hl_real *logits, const int32_t *is);

/* Of one class; NaN where there is nothing to divide by. */
typedef struct hl_class_score {
    double precision, recall, f1;
} hl_class_score;

hl_class_score hl_class_score_of(const hl_class_counts *counts, int64_t id);

/* Negative: does not apply. */
typedef struct hl_scores {
    double loss;       /* nats, mean over the targets that the model knows; 0 where there are none */
    double accuracy;   /* share of all targets */
    double perplexity; /* exp(loss); infinity where that is too large a number */
    double bits_per_character, bits_per_word; /* the sum of losses / ln 2 / the characters or words of the text */
    double macro_f1, micro_f1;
} hl_scores;

/* Of at least one target. `counts`: of the same targets; NULL: no F1. `text`: what they stand for; NULL: no bits, and
 * one of them does not apply where the text has no character, or no word. */
hl_scores hl_scores_of(const hl_cross_entropy_result *sum, const hl_class_counts *counts, const hl_scored_text *text);

/* Add the content of scores.csv: class,cases,found,right,precision,recall,f1, in the order of ids, what is NaN empty;
 * and of confusion.csv, whose first column, class, is the target's, and each other one an answer's. HL_NO_MEMORY is
 * left on the text. `names`: of the C classes. */
void hl_scores_csv_print(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text);
void hl_confusion_csv_print(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text);

HL_END_DECLS

#endif
