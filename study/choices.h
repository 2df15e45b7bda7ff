/* Answers from logits: the most probable ids with their probabilities, an id drawn at random, and the loss of an id.
 * Probabilities are p_c = exp(l_c) / sum over d of exp(l_d), computed in double. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* What a model answers at one position. */
typedef struct hl_choice {
    int32_t id; /* -1: nothing was asked there */
    double probability;
} hl_choice;

/* Writes the `most` most probable ids of C >= 1 ids, or all if there are fewer. The best one comes first; of equals,
 * the lower id. Returns their number. */
int64_t hl_choices_best(const hl_real *logits, int64_t C, int64_t most, hl_choice *choices);

/* Draws an id with the probabilities of l_c / temperature. If top_k is not 0, only the top_k most probable ids are
 * drawn from. With temperature 0, it returns the most probable id. `uniform` is in [0, 1). `room` holds top_k choices;
 * NULL if top_k is 0. */
int32_t hl_choices_draw(const hl_real *logits, int64_t C, double temperature, int64_t top_k, double uniform,
                        hl_choice *room);

/* Adds p_c to sum[c], for all C. */
void hl_choices_add(const hl_real *logits, int64_t C, double *sum);

/* The probability 1 / (1 + exp(-l)) of a label that is independent of the others. */
double hl_choices_sigmoid(hl_real logit);

/* -ln p_id, nats; id in [0, C). */
double hl_choices_loss(const hl_real *logits, int64_t C, int32_t id);

/* The mean over independent labels of -ln p if is[c] is not 0, and otherwise of -ln (1 - p). */
double hl_choices_labels_loss(const hl_real *logits, int64_t C, const int32_t *is);

HL_END_DECLS
