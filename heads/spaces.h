/* How much the spaces of heads overlap. The vectors by which a head reads or writes the residual stream
 * (heads/head_vectors.h) span a subspace of R^D. Two such spaces have principal angles (Bjorck and Golub 1973,
 * "Numerical methods for computing angles between linear subspaces"): their cosines are the singular values of Q1^T Q2,
 * where the columns of Q1 and Q2 are orthonormal bases.
 *   overlap   the mean squared cosine, |Q1^T Q2|^2 / min(r1, r2) with the Frobenius norm: 1 if one space contains the
 *             other, 0 if they are orthogonal
 * Random spaces overlap, too: by max(r1, r2) / D on average. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SPACES_DRAWS = 200 };

typedef enum hl_space { HL_SPACE_Q, HL_SPACE_K, HL_SPACE_V, HL_SPACE_O, HL_SPACES } hl_space;

/* Two heads of a layer, by one of their matrices. */
typedef struct hl_space_pair {
    int layer;
    hl_space space;
    int64_t head, other; /* head < other */
    double overlap;
    double angle;       /* the smallest principal angle, in degrees */
    double random_mean; /* the overlap of random spaces of the same sizes: the mean, and what 95% of them are below */
    double random_95;
} hl_space_pair;

/* Owned by the caller, who frees it with hl_space_pairs_free. */
typedef struct hl_space_pairs {
    hl_space_pair *list; /* ordered by layer, space, head, other */
    int64_t n;
} hl_space_pairs;

/* Measures all pairs of heads in each layer. Heads that share keys and values have the same spaces for K and V; such
 * pairs are left out. `seed` seeds the draws of random spaces. HL_INVALID (the model is not allocated), HL_NO_MEMORY;
 * *pairs is then empty. */
hl_status hl_space_pairs_make(hl_space_pairs *pairs, const hl_model *model, uint64_t seed);

void hl_space_pairs_free(hl_space_pairs *pairs);

/* The bytes that this needs at most. The model need not be allocated. */
size_t hl_space_pairs_bytes(const hl_model_config *config);

HL_END_DECLS
