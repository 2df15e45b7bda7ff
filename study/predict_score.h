/* How good a model's answers are on a file in the form of its task.
 *
 *   masked    each piece of each line, one mask at a time: exp of the mean loss is the pseudo-perplexity of Salazar et
 *             al. 2020. Where words are asked for, the later pieces of its word are masked, too (word-l2r, Kauf &
 *             Ivanova 2023): else they give away the piece of a word that is rare
 *   next      each piece but the first of the whole text, in windows side by side, as validation has them; with a
 *             stride in windows that begin so far apart, each piece where it has the most context
 *   tags      every word; one that was cut off has no answer, and counts as a case that was not found
 *   classes   every text, or pair. Where a classifier answers with several labels at once, the file has them with a
 *             comma between two, or _ for none: right is a text all of whose labels are, the loss is the mean binary
 *             cross-entropy of the labels, and each is counted by itself. Where it answers with a number, the file has
 *             numbers
 *   file      every target */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/text_data.h"
#include "study/predictor.h"
#include "study/regression.h"
#include "train/scores.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Owned: hl_predict_scores_free. */
typedef struct hl_predict_scores {
    hl_cross_entropy_result sum;
    hl_class_counts counts;       /* tags, classes but for numbers */
    hl_scored_text text;          /* masked, next */
    int64_t n_examples;           /* lines, sentences, rows; of next windows */
    int64_t cut;                  /* those that were longer than the model takes, without a stride */
    hl_regression_scores numbers; /* of a classifier that answers with a number */
    int64_t unseen; /* targets with a label that training does not have: answered wrong, whatever is said */
} hl_predict_scores;

/* Scores the file that spec.file names, which may be "-"; `targets` names the target ids; `words`: the data of the
 * predictor's tokens, by which masked finds words, or NULL: a piece alone is masked. Progress is told as spec
 * says, after every example. HL_BAD_FILE as its readers fail, and where it holds no target, or none that the model
 * knows: there is no loss then; HL_INVALID (as hl_text_data_open, of columns; a classifier that answers with several
 * numbers), HL_NOT_FINITE, HL_NO_MEMORY. Must be freed on failure too. */
hl_status hl_predict_score(hl_predictor *predictor, const hl_text_spec *spec, const hl_tokens *targets,
                           const hl_text_data *words, hl_predict_scores *scores);
void hl_predict_scores_free(hl_predict_scores *scores);

/* Adds what the targets are: "bad, so so, good", of many the first ones. */
void hl_predict_print_targets(const hl_tokens *targets, hl_text *text);

HL_END_DECLS
