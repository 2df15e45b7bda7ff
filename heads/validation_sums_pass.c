#include "heads/validation_sums_pass.h"

#include "core/base/memory.h"
#include "core/ops/attention.h"
#include "heads/head_set.h"
#include "heads/private/validation_sums_file.h"

#include <string.h>

/* Memory */

/* The most heads of a layer * rows * T; an example that has more than `rows` is run alone. */
static size_t count_weights(const hl_model_config *config, int64_t rows, int64_t n_tokens)
{
    size_t most = (size_t)(rows > n_tokens ? rows : n_tokens), H = (size_t)hl_heads_most(config);
    return rows > 0 ? hl_size_product(hl_size_product(most, H), (size_t)n_tokens) : SIZE_MAX;
}

size_t hl_validation_sums_pass_bytes(const hl_model_config *config, int64_t rows, int64_t n_tokens)
{
    size_t numbers = hl_size_product(hl_validation_sums_count(config, n_tokens), sizeof(double));
    return hl_size_sum(numbers, hl_size_product(count_weights(config, rows, n_tokens), sizeof(hl_real)));
}

size_t hl_validation_sums_pass_value_bytes(const hl_model_config *config, int64_t n_tokens)
{
    return hl_size_product(hl_validation_sums_count(config, n_tokens), sizeof(double));
}

/* Copies what a head attends to, (n, n) of an example of n tokens. */
static void copy_weights(void *context, const hl_attention_seen *seen)
{
    hl_validation_sums_pass *pass = context;
    hl_sequences examples = hl_batch_sequences(pass->batch);
    int64_t H = pass->sums.heads[pass->layer], n = seen->n_keys, first = hl_sequences_first(&examples, seen->b);
    hl_real *to = pass->weights + H * pass->sums.n_tokens * first + (seen->h * n + seen->first) * n;
    for (int64_t i = 0; i < seen->n_queries; i++) {
        hl_attention_seen_row(seen, i, to + i * n);
    }
}

/* Adds a layer's weights after each attention of the pass, in the order of the layers. */
static void add_layer(void *context, const hl_node *node, bool backward)
{
    hl_validation_sums_pass *pass = context;
    if (hl_attention_args_of(node) != NULL && !backward) {
        hl_sequences examples = hl_batch_sequences(pass->batch);
        hl_validation_sums_add(&pass->sums, pass->layer, pass->weights, &examples, pass->threads);
        pass->layer++;
    }
}

hl_status hl_validation_sums_pass_init(hl_validation_sums_pass *pass, const hl_model_config *config, int64_t rows,
                                       int64_t n_tokens)
{
    *pass = (hl_validation_sums_pass){ .sums = { .n_layers = config->n_layers,
                                                 .heads = config->heads,
                                                 .n_tokens = n_tokens,
                                                 .causal = config->causal },
                                       .count = hl_validation_sums_count(config, n_tokens),
                                       .observer = { .end = add_layer, .context = pass } };
    pass->numbers = hl_calloc(pass->count, sizeof *pass->numbers);
    pass->weights = hl_calloc(count_weights(config, rows, n_tokens), sizeof *pass->weights);
    if (pass->numbers == NULL || pass->weights == NULL) {
        hl_validation_sums_pass_free(pass);
        return hl_error_memory("what heads do on the validation set");
    }
    double *next = pass->numbers; /* 8 bytes a number, as the counts */
    hl_sums_array array;
    for (int i = 0; hl_validation_sums_array(&pass->sums, i, &array); i++) {
        hl_sums_array_place(&array, next);
        next += hl_shape_count(array.shape);
    }
    for (int l = 0; l < config->n_layers; l++) {
        pass->probes[l] = (hl_head_probe){ .observe = copy_weights, .observe_context = pass };
    }
    return hl_ok();
}

void hl_validation_sums_pass_free(hl_validation_sums_pass *pass)
{
    hl_free(pass->numbers);
    hl_free(pass->weights);
    *pass = (hl_validation_sums_pass){ 0 };
}

/* Gathering */

void hl_validation_sums_pass_begin(hl_validation_sums_pass *pass)
{
    memset(pass->numbers, 0, pass->count * sizeof *pass->numbers);
}

void hl_validation_sums_pass_batch(hl_validation_sums_pass *pass, const hl_batch *batch, int threads)
{
    hl_sequences examples = hl_batch_sequences(batch);
    pass->batch = batch;
    pass->threads = threads;
    pass->layer = 0;
    hl_validation_sums_add_lengths(&pass->sums, &examples);
}

void hl_validation_sums_pass_save(const hl_validation_sums_pass *pass, double *value)
{
    memcpy(value, pass->numbers, pass->count * sizeof *value);
}

void hl_validation_sums_pass_load(hl_validation_sums_pass *pass, const double *value)
{
    memcpy(pass->numbers, value, pass->count * sizeof *value);
}

void hl_validation_sums_pass_add(const hl_validation_sums_pass *pass, double *to, const double *from)
{
    hl_sums_array array;
    for (int i = 0; hl_validation_sums_array((hl_validation_sums *)&pass->sums, i, &array); i++) { /* only reads them */
        int64_t n = hl_shape_count(array.shape);
        for (int64_t k = 0; k < n && array.means != NULL; k++) {
            to[k] += from[k];
        }
        for (int64_t k = 0; k < n && array.counts != NULL; k++) {
            ((int64_t *)to)[k] += ((const int64_t *)from)[k];
        }
        to += n;
        from += n;
    }
}

const hl_validation_sums *hl_validation_sums_pass_end(hl_validation_sums_pass *pass)
{
    hl_validation_sums_finish(&pass->sums);
    return &pass->sums;
}
