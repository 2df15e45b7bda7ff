#include "heads/private/validation_sums_file.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/private/snapshot_array.h"

#include <math.h>
#include <stdio.h>

enum { NAME = sizeof "all_entropy_normalised_-2147483648" };

/* The arrays that a file has of the examples, and of each layer. */
enum { OF_EXAMPLES = 3, OF_A_LAYER = 5 };

/* "all_<what>_<l>"; returns `name`. */
static const char *name_of(char name[NAME], const char *what, int l)
{
    snprintf(name, NAME, "all_%s_%d", what, l);
    return name;
}

/* Writing */

size_t hl_validation_sums_count(const hl_model_config *config, int64_t n_tokens)
{
    size_t offsets = hl_size_product(2, (size_t)n_tokens), of_head = hl_size_sum(offsets, 3 + HL_ENTROPY_BINS);
    size_t of_examples = hl_size_sum(hl_size_product(2, offsets), 1);
    return n_tokens < 1 ? SIZE_MAX : hl_size_sum(of_examples, hl_size_product((size_t)hl_heads_count(config), of_head));
}

size_t hl_validation_sums_file_bytes(const hl_model_config *config, int64_t n_tokens)
{
    size_t frames = (size_t)(OF_EXAMPLES + OF_A_LAYER * config->n_layers) * HL_SNAPSHOT_FRAME;
    return hl_size_sum(hl_size_product(hl_validation_sums_count(config, n_tokens), sizeof(double)), frames);
}

static void write_layer(const hl_validation_sums *sums, int l, hl_npz_writer *npz)
{
    const hl_validation_sums_layer *layer = &sums->layers[l];
    int64_t H = sums->heads[l];
    char name[NAME];
    hl_npz_add(npz, name_of(name, "offset", l), HL_NPY_FLOAT64, HL_SHAPE(H, 2 * sums->n_tokens - 1), layer->offset);
    hl_npz_add(npz, name_of(name, "entropy", l), HL_NPY_FLOAT64, HL_SHAPE(H), layer->entropy);
    hl_npz_add(npz, name_of(name, "entropy_normalised", l), HL_NPY_FLOAT64, HL_SHAPE(H), layer->normalised);
    hl_npz_add(npz, name_of(name, "entropy_histogram", l), HL_NPY_INT64, HL_SHAPE(H, HL_ENTROPY_BINS),
               layer->histogram);
    hl_npz_add(npz, name_of(name, "confidence", l), HL_NPY_FLOAT64, HL_SHAPE(H), layer->confidence);
}

void hl_validation_sums_write(const hl_validation_sums *sums, hl_npz_writer *npz)
{
    hl_shape offsets = HL_SHAPE(2 * sums->n_tokens - 1), scalar = { .n_dims = 0 };
    hl_npz_add(npz, "all_queries", HL_NPY_INT64, offsets, sums->queries);
    hl_npz_add(npz, "all_uniform", HL_NPY_FLOAT64, offsets, sums->uniform);
    hl_npz_add(npz, "all_entropy_uniform", HL_NPY_FLOAT64, scalar, &sums->entropy_uniform);
    for (int l = 0; l < sums->n_layers; l++) {
        write_layer(sums, l, npz);
    }
}

/* Reading */

/* Where the numbers are read from. */
typedef struct source {
    const hl_npz *npz;
    const char *path;
} source;

/* Means are within 0 .. most, but for rounding. */
static hl_status read_means(source from, const char *name, hl_shape shape, double most, double **means)
{
    const double slack = 1e-3;
    void *data = NULL;
    HL_TRY(hl_snapshot_array(from.npz, from.path, name, HL_NPY_FLOAT64, shape, &data));
    *means = data;
    for (int64_t i = 0; i < hl_shape_count(shape); i++) {
        if (!((*means)[i] >= -slack && (*means)[i] <= most + slack)) {
            return hl_snapshot_wrong(from.path, name, "%g at place %lld is not in 0 .. %g", (*means)[i], (long long)i,
                                     most);
        }
    }
    return hl_ok();
}

static hl_status read_counts(source from, const char *name, hl_shape shape, int64_t **counts)
{
    const int64_t most = INT64_MAX / HL_ENTROPY_BINS; /* so that they can be added up */
    void *data = NULL;
    HL_TRY(hl_snapshot_array(from.npz, from.path, name, HL_NPY_INT64, shape, &data));
    *counts = data;
    for (int64_t i = 0; i < hl_shape_count(shape); i++) {
        if ((*counts)[i] < 0 || (*counts)[i] > most) {
            return hl_snapshot_wrong(from.path, name, "%lld at place %lld counts nothing", (long long)(*counts)[i],
                                     (long long)i);
        }
    }
    return hl_ok();
}

static hl_status read_layer(source from, int l, hl_validation_sums *sums)
{
    hl_validation_sums_layer *layer = &sums->layers[l];
    int64_t H = sums->heads[l];
    char name[NAME];
    HL_TRY(read_means(from, name_of(name, "offset", l), HL_SHAPE(H, 2 * sums->n_tokens - 1), 1, &layer->offset));
    HL_TRY(read_means(from, name_of(name, "entropy", l), HL_SHAPE(H), log((double)sums->n_tokens), &layer->entropy));
    HL_TRY(read_means(from, name_of(name, "entropy_normalised", l), HL_SHAPE(H), 1, &layer->normalised));
    HL_TRY(read_counts(from, name_of(name, "entropy_histogram", l), HL_SHAPE(H, HL_ENTROPY_BINS), &layer->histogram));
    return read_means(from, name_of(name, "confidence", l), HL_SHAPE(H), 1, &layer->confidence);
}

static hl_status read_examples(source from, hl_validation_sums *sums)
{
    hl_shape offsets = HL_SHAPE(2 * sums->n_tokens - 1), scalar = { .n_dims = 0 };
    double *entropy = NULL;
    HL_TRY(read_counts(from, "all_queries", offsets, &sums->queries));
    HL_TRY(read_means(from, "all_uniform", offsets, 1, &sums->uniform));
    HL_TRY(read_means(from, "all_entropy_uniform", scalar, log((double)sums->n_tokens), &entropy));
    sums->entropy_uniform = *entropy;
    return hl_ok();
}

hl_status hl_validation_sums_read(const hl_npz *npz, const char *path, int n_layers, const int32_t *heads,
                                  int64_t least, int64_t most, hl_validation_sums *sums, bool *has)
{
    const source from = { npz, path };
    const hl_npz_array *queries = hl_npz_find(npz, "all_queries");
    *sums = (hl_validation_sums){ .n_layers = n_layers, .heads = heads };
    *has = queries != NULL;
    if (queries == NULL) {
        return hl_ok();
    }
    int64_t count = hl_shape_count(queries->shape), T = (count + 1) / 2;
    if (queries->shape.n_dims != 1 || count % 2 == 0 || T < least || T > most) {
        return hl_snapshot_wrong(path, "all_queries", "are not (2 T - 1) with T in %lld .. %lld", (long long)least,
                                 (long long)most);
    }
    sums->n_tokens = T;
    HL_TRY(read_examples(from, sums));
    for (int l = 0; l < n_layers; l++) {
        HL_TRY(read_layer(from, l, sums));
    }
    return hl_ok();
}
