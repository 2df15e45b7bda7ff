/* Validation sums: what every head does on the whole validation set, whose weights are not kept. They are added up
 * batch by batch and become the metrics all.offset(k), all.entropy, all.confidence and all.distance.
 *
 * They cover the queries and keys of heads/pattern.h, every query of every example without sampling, and are added in
 * double in the order of the examples: the same bits at any number of threads. */
#ifndef HL_HEADS_VALIDATION_SUMS_H
#define HL_HEADS_VALIDATION_SUMS_H

#include "core/base/declarations.h"
#include "core/kernels/sequences.h"
#include "heads/score.h"
#include "layers/model.h"

HL_BEGIN_DECLS

enum { HL_ENTROPY_BINS = 20 };

/* The H heads of a layer: sums until hl_validation_sums_finish, means from then on. */
typedef struct hl_validation_sums_layer {
    double *offset;     /* (H, 2 T - 1): of A[i][i + k], over the queries that have key i + k; k = 0 is in the middle */
    double *entropy;    /* (H): of each query's entropy, nats */
    double *normalised; /* (H): of its entropy / ln n_i, over the queries with n_i > 1 */
    double *confidence; /* (H): of its largest weight */
    int64_t
        *histogram; /* (H, 20): how many queries with n_i > 1 have a normalised entropy in [0, 0.05), [0.05, 0.1), ...,
                           [0.95, 1]; never a mean */
} hl_validation_sums_layer;

/* Arrays are not owned: zeroed at first. */
typedef struct hl_validation_sums {
    int n_layers;
    const int32_t *heads; /* (n_layers): H of each */
    int64_t n_tokens;     /* T: no example is longer */
    bool causal;

    int64_t *queries;       /* (2 T - 1): how many queries have the key k away; all queries have the one at 0 */
    double *uniform;        /* (2 T - 1): of 1 / n_i over the same queries: what attention spread evenly gives them */
    double entropy_uniform; /* of ln n_i over all queries: likewise */
    hl_validation_sums_layer layers[HL_MAX_LAYERS];
} hl_validation_sums;

/* Counts the queries of examples, each 1 .. T long. */
void hl_validation_sums_add_lengths(hl_validation_sums *sums, const hl_sequences *examples);

/* Adds what the H heads of a layer do on the same examples. The weights of an example of n tokens, (H, n, n), begin at
 * H times T times its first row. */
void hl_validation_sums_add(hl_validation_sums *sums, int layer, const hl_real *weights, const hl_sequences *examples,
                            int threads);

/* Turns the sums into means; a mean of nothing is 0. Call it once, after all examples. */
void hl_validation_sums_finish(hl_validation_sums *sums);

/* One head's metrics after that, as heads/offset.h, heads/entropy.h and heads/distance.h define them; the baselines are
 * those of attention spread evenly. n is 0 where no query has the key k away, or no query has two keys. */
hl_score hl_validation_sums_offset(const hl_validation_sums *sums, int layer, int64_t head, int64_t k);
hl_score hl_validation_sums_entropy(const hl_validation_sums *sums, int layer, int64_t head);
hl_score hl_validation_sums_normalised(const hl_validation_sums *sums, int layer, int64_t head);
hl_score hl_validation_sums_confidence(const hl_validation_sums *sums, int layer, int64_t head);
hl_score hl_validation_sums_distance(const hl_validation_sums *sums, int layer, int64_t head); /* tokens, either way */
hl_score hl_validation_sums_signed(const hl_validation_sums *sums, int layer,
                                   int64_t head); /* below 0 where it looks back */

HL_END_DECLS

#endif
