/* What the classifier of an open model answers. */
#pragma once

#include "core/base/declarations.h"
#include "pretrained/pretrained.h"

HL_BEGIN_DECLS

/* What the outputs mean (problem_type in config.json). */
typedef enum hl_pretrained_problem {
    HL_PROBLEM_CHOICE, /* logits of labels; one label is right */
    HL_PROBLEM_LABELS, /* independent logits of labels; several may be right at once, or none */
    HL_PROBLEM_NUMBERS /* numbers: regression */
} hl_pretrained_problem;

/* HL_PROBLEM_CHOICE also if no classifier is stored. */
hl_pretrained_problem hl_pretrained_stored_problem(const hl_pretrained *folder);

/* Makes a classifier of another problem the stored head; at first, it is ignored. hl_pretrained_model and the labels
 * are then those of the classifier. Call it if you can use such outputs. */
void hl_pretrained_take_classifier(hl_pretrained *folder);

HL_END_DECLS
