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
    return hl_size_product(hl_size_sum(hl_validation_sums_count(config, n_tokens), 1), sizeof(double));
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
    hl_validation_sums *s = &pass->sums;
    int64_t offsets = 2 * s->n_tokens - 1;
    double *next = pass->numbers; /* 8 bytes a number, as the counts */
    s->queries = (int64_t *)next;
    s->uniform = next + offsets;
    next += 2 * offsets;
    for (int l = 0; l < s->n_layers; l++) {
        int64_t H = s->heads[l];
        s->layers[l] = (hl_validation_sums_layer){ .offset = next,
                                                   .entropy = next + H * offsets,
                                                   .normalised = next + H * (offsets + 1),
                                                   .confidence = next + H * (offsets + 2),
                                                   .histogram = (int64_t *)(next + H * (offsets + 3)) };
        next += H * (offsets + 3 + HL_ENTROPY_BINS);
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
    pass->sums.entropy_uniform = 0;
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
    value[pass->count] = pass->sums.entropy_uniform;
}

void hl_validation_sums_pass_load(hl_validation_sums_pass *pass, const double *value)
{
    memcpy(pass->numbers, value, pass->count * sizeof *value);
    pass->sums.entropy_uniform = value[pass->count];
}

/* Adds numbers in double from place *next to `end`. */
static void add_until(size_t *next, size_t end, double *to, const double *from)
{
    for (; *next < end; (*next)++) {
        to[*next] += from[*next];
    }
}

/* Adds as many counts at *next. */
static void add_counts(size_t *next, size_t count, double *to, const double *from)
{
    int64_t *counts = (int64_t *)(to + *next);
    const int64_t *others = (const int64_t *)(from + *next);
    for (size_t i = 0; i < count; i++) {
        counts[i] += others[i];
    }
    *next += count;
}

void hl_validation_sums_pass_add(const hl_validation_sums_pass *pass, double *to, const double *from)
{
    const hl_validation_sums *s = &pass->sums;
    size_t next = 0;
    add_counts(&next, (size_t)(2 * s->n_tokens - 1), to, from);
    for (int l = 0; l < s->n_layers; l++) {
        add_until(&next, (size_t)((double *)s->layers[l].histogram - pass->numbers), to, from);
        add_counts(&next, (size_t)s->heads[l] * HL_ENTROPY_BINS, to, from);
    }
    add_until(&next, pass->count + 1, to, from);
}

const hl_validation_sums *hl_validation_sums_pass_end(hl_validation_sums_pass *pass)
{
    hl_validation_sums_finish(&pass->sums);
    return &pass->sums;
}
