#include "heads/private/validation_sums_file.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/private/snapshot_array.h"

#include <math.h>
#include <stdio.h>

/* The arrays that a file has of the examples, and of each layer. */
enum { OF_EXAMPLES = 3, OF_A_LAYER = 5 };

bool hl_validation_sums_array(hl_validation_sums *sums, int i, hl_sums_array *array)
{
    int l = i < OF_EXAMPLES ? 0 : (i - OF_EXAMPLES) / OF_A_LAYER;
    if (l >= sums->n_layers) {
        return false;
    }
    hl_validation_sums_layer *layer = &sums->layers[l];
    int64_t H = sums->heads[l], offsets = 2 * sums->n_tokens - 1;
    double log_T = log((double)sums->n_tokens);
    const hl_sums_array arrays[] = {
        { "queries", HL_SHAPE(offsets), .counts = &sums->queries },
        { "uniform", HL_SHAPE(offsets), .means = &sums->uniform, .most = 1 },
        { "entropy_uniform", { .n_dims = 0 }, .means = &sums->entropy_uniform, .most = log_T },
        { "offset", HL_SHAPE(H, offsets), .means = &layer->offset, .most = 1 },
        { "entropy", HL_SHAPE(H), .means = &layer->entropy, .most = log_T },
        { "entropy_normalised", HL_SHAPE(H), .means = &layer->normalised, .most = 1 },
        { "entropy_histogram", HL_SHAPE(H, HL_ENTROPY_BINS), .counts = &layer->histogram },
        { "confidence", HL_SHAPE(H), .means = &layer->confidence, .most = 1 },
    };
    bool of_layer = i >= OF_EXAMPLES;
    const hl_sums_array *it = &arrays[of_layer ? OF_EXAMPLES + (i - OF_EXAMPLES) % OF_A_LAYER : i];
    *array = *it;
    snprintf(array->name, sizeof array->name, of_layer ? "all_%s_%d" : "all_%s", it->name, l);
    return true;
}

void hl_sums_array_place(const hl_sums_array *array, void *numbers)
{
    if (array->counts != NULL) {
        *array->counts = numbers;
    } else {
        *array->means = numbers;
    }
}

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

void hl_validation_sums_write(const hl_validation_sums *sums, hl_npz_writer *npz)
{
    hl_sums_array array;
    for (int i = 0; hl_validation_sums_array((hl_validation_sums *)sums, i, &array); i++) { /* only reads them */
        if (array.counts != NULL) {
            hl_npz_add(npz, array.name, HL_NPY_INT64, array.shape, *array.counts);
        } else {
            hl_npz_add(npz, array.name, HL_NPY_FLOAT64, array.shape, *array.means);
        }
    }
}

/* Reading */

static hl_status check_means(const char *path, const hl_sums_array *array)
{
    const double slack = 1e-3, *means = *array->means;
    for (int64_t i = 0; i < hl_shape_count(array->shape); i++) {
        if (!(means[i] >= -slack && means[i] <= array->most + slack)) {
            return hl_snapshot_wrong(path, array->name, "%g at place %lld is not in 0 .. %g", means[i], (long long)i,
                                     array->most);
        }
    }
    return hl_ok();
}

static hl_status check_counts(const char *path, const hl_sums_array *array)
{
    const int64_t most = INT64_MAX / HL_ENTROPY_BINS, *counts = *array->counts; /* so that they can be added up */
    for (int64_t i = 0; i < hl_shape_count(array->shape); i++) {
        if (counts[i] < 0 || counts[i] > most) {
            return hl_snapshot_wrong(path, array->name, "%lld at place %lld counts nothing", (long long)counts[i],
                                     (long long)i);
        }
    }
    return hl_ok();
}

static hl_status read_array(const hl_npz *npz, const char *path, const hl_sums_array *array)
{
    void *data = NULL;
    hl_npy_type type = array->counts != NULL ? HL_NPY_INT64 : HL_NPY_FLOAT64;
    HL_TRY(hl_snapshot_array(npz, path, array->name, type, array->shape, &data));
    hl_sums_array_place(array, data);
    return array->counts != NULL ? check_counts(path, array) : check_means(path, array);
}

bool hl_validation_sums_are_in(const hl_npz *npz)
{
    return hl_npz_find(npz, "all_queries") != NULL;
}

hl_status hl_validation_sums_read(const hl_npz *npz, const char *path, int n_layers, const int32_t *heads,
                                  int64_t least, int64_t most, hl_validation_sums *sums)
{
    hl_shape queries = hl_npz_find(npz, "all_queries")->shape;
    int64_t count = hl_shape_count(queries), T = (count + 1) / 2;
    *sums = (hl_validation_sums){ .n_layers = n_layers, .heads = heads, .n_tokens = T };
    if (queries.n_dims != 1 || count % 2 == 0 || T < least || T > most) {
        return hl_snapshot_wrong(path, "all_queries", "are not (2 T - 1) with T in %lld .. %lld", (long long)least,
                                 (long long)most);
    }
    hl_sums_array array;
    for (int i = 0; hl_validation_sums_array(sums, i, &array); i++) {
        HL_TRY(read_array(npz, path, &array));
    }
    return hl_ok();
}
