/* The path from the last hidden state to the logits, and back; for writes.c and copies.c.
 *   logits = W f(h) + b,  h (D), W (C, E)
 * f is the identity, or what the output layer has before W (layers/output.h): a pooler, or a dense layer, activation
 * and norm. In the latter cases f is replaced by its first-order approximation at the pass, using its Jacobian
 * there. */
#pragma once

#include "core/base/private/block.h"
#include "core/base/status.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_answer_path {
    const hl_output_layer *output;    /* not owned; nor are the arrays */
    int64_t n_logits, width, d_model; /* C, E, D */
    int64_t most;                     /* the most answers at once */
    int threads;
    bool exact;           /* whether f is the identity */
    hl_real *mean_weight; /* (E): the mean of W's rows */
    double mean_bias;
    /* Of f at each answer; used only if f is not the identity. */
    hl_real *pooler_slope; /* (most, D): the derivative of the pooler's function */
    hl_real *slope;        /* (most, E): the derivative of the activation */
    hl_real *normed;       /* (most, E): the activation's output, normed, before the norm's gain */
    hl_real *scale;        /* (most): 1 / sigma of that norm */
    hl_real *scratch;      /* (2, most, max(D, E)) */
} hl_answer_path;

/* Takes the arrays. The model must have an output layer; it need not be allocated. */
void hl_answer_path_lay_out(hl_answer_path *path, hl_block *block, const hl_model *model, int64_t most);

/* Prepares for the model's weights. */
void hl_answer_path_begin(hl_answer_path *path, const hl_model *model, int threads);

/* Keeps f's values and derivatives at these n hidden states h (n, D); the following functions refer to them.
 * HL_NO_MEMORY. */
hl_status hl_answer_path_at(hl_answer_path *path, int64_t n, const hl_real *h);

/* g (n, D): the gradient of answer i's centred logit with respect to its hidden state. The centred logit is logit_t -
 * the mean of all logits, t = targets[i]. */
void hl_answer_path_backward(hl_answer_path *path, int64_t n, const int32_t *targets, hl_real *g);

/* logits (n, C): the changes of all logits caused by changes o (n, D) of the hidden states. Not for models with a
 * pooler. */
void hl_answer_path_forward(hl_answer_path *path, int64_t n, const hl_real *o, hl_real *logits);

/* The centred logit of an answer: logits[id] - the mean of all n logits. */
double hl_centred_logit(const hl_real *logits, int64_t n, int32_t id);

/* The centred bias of a logit; 0 if there is none. */
double hl_answer_path_bias(const hl_answer_path *path, int32_t target);
