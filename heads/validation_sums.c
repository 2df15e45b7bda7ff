#include "heads/validation_sums.h"

#include "core/base/threads.h"
#include "core/kernels/private/lanes.h"
#include "heads/pattern.h"
#include "heads/private/row_entropy.h"

/* Adding up */

static int64_t n_offsets(const hl_validation_sums *s)
{
    return 2 * s->n_tokens - 1;
}

void hl_validation_sums_add_lengths(hl_validation_sums *sums, const hl_sequences *examples)
{
    for (int64_t b = 0; b < examples->n; b++) {
        hl_pattern example = { .n = hl_sequences_length(examples, b), .causal = sums->causal };
        for (int64_t i = 0; i < example.n; i++) {
            int64_t n_keys = hl_pattern_keys(&example, i), first = sums->n_tokens - 1 - i;
            for (int64_t j = 0; j < n_keys; j++) {
                sums->queries[first + j]++;
                sums->uniform[first + j] += 1 / (double)n_keys;
            }
            *sums->entropy_uniform += log((double)n_keys);
        }
    }
}

/* The sums of a head. The numbers are its thread's own: those of neighbouring heads lie beside each other. */
typedef struct head_sums {
    double *offset; /* of k = 0 */
    int64_t *histogram;
    double entropy, normalised, confidence;
} head_sums;

static void add_query(const hl_pattern *pattern, int64_t i, head_sums *sums)
{
    int64_t n_keys = hl_pattern_keys(pattern, i);
    const hl_real *row = hl_pattern_row(pattern, i);
    double *offset = sums->offset - i, entropy = hl_row_entropy(row, n_keys);
#pragma omp simd
    for (int64_t j = 0; j < n_keys; j++) {
        offset[j] += (double)row[j];
    }
    hl_real lanes[HL_LANES] = { 0 };
    HL_FOR_LANES(n_keys, j, l, lanes[l] = row[j] > lanes[l] ? row[j] : lanes[l]);
    sums->entropy += entropy;
    sums->confidence += (double)hl_lanes_max(lanes);
    if (n_keys > 1) {
        double normalised = entropy / log((double)n_keys), bin = normalised * HL_ENTROPY_BINS;
        int at = !(bin > 0) ? 0 : bin < HL_ENTROPY_BINS ? (int)bin : HL_ENTROPY_BINS - 1; /* despite rounding */
        sums->normalised += normalised;
        sums->histogram[at]++;
    }
}

typedef struct layer_work {
    const hl_validation_sums *sums;
    const hl_validation_sums_layer *layer;
    int64_t H;
    const hl_real *weights;
    const hl_sequences *examples;
} layer_work;

/* One thread adds all examples of a head, in order. */
static void add_heads(const void *context, hl_range heads)
{
    const layer_work *work = context;
    int64_t T = work->sums->n_tokens;
    for (int64_t h = heads.begin; h < heads.end; h++) {
        const hl_validation_sums_layer *layer = work->layer;
        head_sums sums = { layer->offset + h * n_offsets(work->sums) + T - 1, layer->histogram + h * HL_ENTROPY_BINS,
                           layer->entropy[h], layer->normalised[h], layer->confidence[h] };
        for (int64_t e = 0; e < work->examples->n; e++) {
            int64_t n = hl_sequences_length(work->examples, e), first = hl_sequences_first(work->examples, e);
            hl_pattern pattern = { .weights = work->weights + work->H * T * first + h * n * n,
                                   .n_tokens = n,
                                   .n = n,
                                   .causal = work->sums->causal };
            for (int64_t i = 0; i < pattern.n; i++) {
                add_query(&pattern, i, &sums);
            }
        }
        layer->entropy[h] = sums.entropy;
        layer->normalised[h] = sums.normalised;
        layer->confidence[h] = sums.confidence;
    }
}

void hl_validation_sums_add(hl_validation_sums *sums, int layer, const hl_real *weights, const hl_sequences *examples,
                            int threads)
{
    int64_t H = sums->heads[layer], rows = hl_sequences_first(examples, examples->n);
    enum { WORK = 3 }; /* of a weight, in hl_threads_for's unit */
    hl_threads_run(hl_threads_for(threads, WORK * H * rows * examples->longest), H, 1, add_heads,
                   &(layer_work){ sums, &sums->layers[layer], H, weights, examples });
}

static void divide(double *sums, int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++) {
        sums[i] /= (double)(n > 0 ? n : 1);
    }
}

static int64_t all_queries(const hl_validation_sums *s)
{
    return s->queries[s->n_tokens - 1];
}

/* The queries that have more than one key: those of any head's histogram. */
static int64_t normalised_queries(const hl_validation_sums *s)
{
    int64_t n = 0;
    for (int i = 0; i < HL_ENTROPY_BINS; i++) {
        n += s->layers[0].histogram[i];
    }
    return n;
}

void hl_validation_sums_finish(hl_validation_sums *sums)
{
    int64_t n = all_queries(sums), n_normalised = normalised_queries(sums);
    for (int l = 0; l < sums->n_layers; l++) {
        const hl_validation_sums_layer *layer = &sums->layers[l];
        int64_t H = sums->heads[l];
        for (int64_t i = 0; i < H * n_offsets(sums); i++) {
            divide(&layer->offset[i], 1, sums->queries[i % n_offsets(sums)]);
        }
        divide(layer->entropy, H, n);
        divide(layer->normalised, H, n_normalised);
        divide(layer->confidence, H, n);
    }
    for (int64_t i = 0; i < n_offsets(sums); i++) {
        divide(&sums->uniform[i], 1, sums->queries[i]);
    }
    divide(sums->entropy_uniform, 1, n);
}

/* Metrics */

hl_score hl_validation_sums_offset(const hl_validation_sums *sums, int layer, int64_t head, int64_t k)
{
    int64_t T = sums->n_tokens;
    if (k <= -T || k >= T) {
        return (hl_score){ 0 };
    }
    int64_t at = k + T - 1;
    return (hl_score){ sums->layers[layer].offset[head * (2 * T - 1) + at], sums->uniform[at], sums->queries[at] };
}

/* The mean over all queries of sum_j A[i][j] |j - i|, or (j - i): every offset's mean times its queries is its sum. As
 * many queries have the key k ahead as have the one k back, or none has, where the mask is causal: a pair that balances
 * cancels out to the last bit. */
static hl_score distance(const hl_validation_sums *s, int layer, int64_t head, double sign_of_back)
{
    hl_score sum = { .n = all_queries(s) };
    for (int64_t k = 1; k < s->n_tokens; k++) {
        hl_score back = hl_validation_sums_offset(s, layer, head, -k),
                 ahead = hl_validation_sums_offset(s, layer, head, k);
        double far = (double)k * (double)back.n;
        sum.value += far * (ahead.value + sign_of_back * back.value);
        sum.baseline += far * (ahead.baseline + sign_of_back * back.baseline);
    }
    return hl_score_mean(sum);
}

hl_validation_scores hl_validation_sums_scores(const hl_validation_sums *sums, int layer, int64_t head)
{
    const hl_validation_sums_layer *of = &sums->layers[layer];
    int64_t n = all_queries(sums);
    return (hl_validation_scores){
        .entropy = { of->entropy[head], *sums->entropy_uniform, n },
        .normalised = { of->normalised[head], 1, normalised_queries(sums) },
        .confidence = { of->confidence[head], sums->uniform[sums->n_tokens - 1], n },
        .distance = distance(sums, layer, head, 1),
        .directed = distance(sums, layer, head, -1),
    };
}
