/* Whether relations pull a head in the same direction while it is trained. The loss of a relation is the mean
 * cross-entropy, without dropout and label smoothing, over the answers whose source is the partner that the relation
 * states. A head's gradient for a relation is the vector of this loss's derivatives by all numbers of the head: its
 * rows of W_Q, W_K and W_V, their biases, and its columns of W_O (layers/head_parts.h). If the cosine of two relations'
 * gradients is negative, a step that helps one of them hurts the other (Yu et al. 2020, "Gradient surgery for
 * multi-task learning"). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_GRADIENTS_LEAST = 20 /* answers; a relation with fewer is left out */ };

/* Owned by the caller, who frees it with hl_relation_gradients_free. */
typedef struct hl_relation_gradients {
    int64_t n_heads;     /* of all layers */
    int64_t n_relations; /* R, those of the examples */
    int64_t *answers;    /* (R): how many answers each relation has */
    double *losses;      /* (R): the mean over them; 0 for a relation that is left out */
    double *products;    /* (n_heads, R, R): dot products of the head's gradients; 0 for relations that are left out */
    void *memory;        /* the block of these arrays */
} hl_relation_gradients;

/* Runs one pass with its backward for each relation, on all examples at once. The model need not have gradients.
 * HL_INVALID (the model is not allocated or has no output layer, or the examples have no relations), HL_NOT_FINITE,
 * HL_NO_MEMORY; *found is then empty. */
hl_status hl_relation_gradients_make(hl_relation_gradients *found, const hl_model *model, const hl_examples *examples,
                                     int threads);

void hl_relation_gradients_free(hl_relation_gradients *found);

/* Whether relation r has enough answers. */
bool hl_relation_gradients_has(const hl_relation_gradients *found, int64_t r);

/* The norm of the gradient, and the cosine of two of them; 0 if one is 0. */
double hl_relation_gradients_norm(const hl_relation_gradients *found, int64_t head, int64_t r);
double hl_relation_gradients_cosine(const hl_relation_gradients *found, int64_t head, int64_t r, int64_t other);

HL_END_DECLS
