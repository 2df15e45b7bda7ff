/* Validation sums: what every head does on the whole validation set, whose weights are not kept. They are summed batch
 * by batch and become the metrics all.offset(k), all.entropy, all.confidence and all.distance.
 *
 * They cover the queries and keys of heads/pattern.h: every query of every example, without sampling. They are summed
 * in double precision in the order of the examples, so the bits are the same for any number of threads. */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/sequences.h"
#include "heads/score.h"
#include "layers/model.h"

HL_BEGIN_DECLS

enum { HL_ENTROPY_BINS = 20 };

/* The H heads of a layer: sums until hl_validation_sums_finish, means afterwards. */
typedef struct hl_validation_sums_layer {
    double *offset;     /* (H, 2 T - 1): of A[i][i + k], over the queries that have key i + k; k = 0 is in the middle */
    double *entropy;    /* (H): of each query's entropy, nats */
    double *normalised; /* (H): of its entropy / ln n_i, over the queries with n_i > 1 */
    double *confidence; /* (H): of its largest weight */
    int64_t *histogram; /* (H, 20): the number of queries with n_i > 1 whose normalised entropy is in [0, 0.05), [0.05,
                       0.1), ..., [0.95, 1]; it is never turned into a mean */
} hl_validation_sums_layer;

/* Arrays are not owned, and must be zero at first. */
typedef struct hl_validation_sums {
    int n_layers;
    const int32_t *heads; /* (n_layers): H of each layer */
    int64_t n_tokens;     /* T: no example is longer */
    bool causal;

    int64_t *queries;        /* (2 T - 1): how many queries have the key at offset k; all queries have the one at 0 */
    double *uniform;         /* (2 T - 1): of 1 / n_i over the same queries: the value for attention spread evenly */
    double *entropy_uniform; /* (1): of ln n_i over all queries: likewise for attention spread evenly */
    hl_validation_sums_layer layers[HL_MAX_LAYERS];
} hl_validation_sums;

/* Counts the queries of examples, each of length 1 .. T. */
void hl_validation_sums_add_lengths(hl_validation_sums *sums, const hl_sequences *examples);

/* Adds what the H heads of a layer do on the same examples. The weights of an example of n tokens, (H, n, n), begin at
 * H times T times the number of its first row. */
void hl_validation_sums_add(hl_validation_sums *sums, int layer, const hl_real *weights, const hl_sequences *examples,
                            int threads);

/* Turns the sums into means; a mean over nothing is 0. Call it once, after all examples. */
void hl_validation_sums_finish(hl_validation_sums *sums);

/* One head's metrics after hl_validation_sums_finish, as defined in heads/offset.h, heads/entropy.h and
 * heads/distance.h. The baselines are those of attention spread evenly. n is 0 if no query has the key at offset k, or
 * no query has two keys. */
hl_score hl_validation_sums_offset(const hl_validation_sums *sums, int layer, int64_t head, int64_t k);

typedef struct hl_validation_scores {
    hl_score entropy, normalised, confidence;
    hl_score distance; /* in tokens, in either direction */
    hl_score directed; /* below 0 if the head looks back */
} hl_validation_scores;

hl_validation_scores hl_validation_sums_scores(const hl_validation_sums *sums, int layer, int64_t head);

HL_END_DECLS
