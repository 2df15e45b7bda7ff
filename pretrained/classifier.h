/* What an open model's classifier answers. */
#ifndef HL_PRETRAINED_CLASSIFIER_H
#define HL_PRETRAINED_CLASSIFIER_H

#include "core/base/declarations.h"
#include "pretrained/pretrained.h"

HL_BEGIN_DECLS

/* What its outputs mean (problem_type). */
typedef enum hl_pretrained_problem {
    HL_PROBLEM_CHOICE, /* logits of labels, of which one is right */
    HL_PROBLEM_LABELS, /* the logit of each label by itself: several may be right at once, or none */
    HL_PROBLEM_NUMBERS /* numbers: regression */
} hl_pretrained_problem;

/* HL_PROBLEM_CHOICE also where no classifier is stored. */
hl_pretrained_problem hl_pretrained_stored_problem(const hl_pretrained *folder);

/* Makes a classifier of another problem, too, the stored head, which it is not at first: hl_pretrained_model and the
 * labels are then its own. For callers that can use its outputs. */
void hl_pretrained_take_classifier(hl_pretrained *folder);

HL_END_DECLS

#endif
