#include "study/block_maps.h"

#include "core/base/memory.h"
#include "data/batch_storage.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"

/* The maps of one layer's heads. */
typedef struct layer_blocks {
    hl_real *cells; /* (H, R, R), zero at first */
    int64_t n_tokens, n_blocks, block;
} layer_blocks;

static int64_t count_blocks(int64_t T, int64_t block)
{
    return (T + block - 1) / block;
}

/* Adds a block of a head's rows to the cells. One thread works on a head, in the order of its queries. */
static void add_rows(void *context, const hl_attention_seen *seen)
{
    const layer_blocks *layer = context;
    int64_t R = layer->n_blocks, block = layer->block;
    for (int64_t i = 0; i < seen->n_queries; i++) {
        int64_t row = (seen->first + i) / block, end = (row + 1) * block;
        int64_t queries = (end < layer->n_tokens ? end : layer->n_tokens) - row * block;
        hl_real *cells = layer->cells + (seen->h * R + row) * R;
        const hl_real *A = seen->A + i * seen->stride;
        for (int64_t j = seen->keys.begin, next; j < seen->keys.end; j = next) {
            int64_t column = j / block;
            hl_real sum = 0;
            next = (column + 1) * block < seen->keys.end ? (column + 1) * block : seen->keys.end;
            for (int64_t k = j; k < next; k++) {
                sum += A[k - seen->keys.begin];
            }
            cells[column] += sum / (hl_real)queries;
        }
    }
}

static hl_status give_probes(void *context, hl_evaluator_slice *slice)
{
    slice->probes = context;
    return hl_ok();
}

/* The blocks as an example: each is named by its first token. */
static hl_examples blocks_of(const hl_examples *example, int64_t block, int64_t R, int32_t *integers)
{
    hl_examples blocks = { .n_examples = 1,
                           .n_tokens = R,
                           .tokens = integers,
                           .targets = integers + R,
                           .sources = integers + 2 * R,
                           .lengths = integers + 3 * R,
                           .kinds = example->kinds };
    for (int64_t r = 0; r < R; r++) {
        blocks.tokens[r] = example->tokens[r * block];
        blocks.targets[r] = blocks.sources[r] = HL_IGNORE;
    }
    *blocks.lengths = (int32_t)R;
    return blocks;
}

static hl_status run_model(const hl_opened_model *run, const hl_examples *example, hl_head_probe *probes)
{
    hl_batch_storage storage;
    HL_TRY(hl_batch_storage_of(&storage, example, example->n_tokens));
    const hl_evaluator evaluator = { .model = &run->model,
                                     .rows = storage.batch.n_rows,
                                     .threads = run->source.threads,
                                     .hidden = true,
                                     .begin = give_probes,
                                     .context = probes };
    hl_status status = hl_evaluate_once(evaluator, &storage.batch, NULL);
    hl_batch_storage_free(&storage);
    return status;
}

static hl_status fill(const hl_opened_model *run, const hl_examples *example, int64_t block, hl_block_maps *maps,
                      layer_blocks *layers, hl_head_probe *probes)
{
    const hl_model_config *config = &run->source.shape;
    int64_t R = count_blocks(*example->lengths, block);
    maps->maps.examples = blocks_of(example, block, R, maps->integers);
    hl_real *cells = maps->weights;
    for (int l = 0; l < config->n_layers; l++) {
        layers[l] = (layer_blocks){ cells, *example->lengths, R, block };
        probes[l] = (hl_head_probe){ .observe = add_rows, .observe_context = &layers[l] };
        maps->maps.layers[l] = hl_patterns_of(cells, &maps->maps.examples, config, l, 0);
        cells += config->heads[l] * R * R;
    }
    return run_model(run, example, probes);
}

size_t hl_block_maps_bytes(int64_t n_heads, int64_t n_tokens, int64_t block)
{
    size_t R = (size_t)count_blocks(n_tokens, block);
    return hl_size_product(hl_size_product(R, R), (size_t)n_heads * sizeof(hl_real));
}

hl_status hl_block_maps_make(const hl_opened_model *run, const hl_examples *example, int64_t block, hl_block_maps *maps)
{
    const hl_model_config *config = &run->source.shape;
    size_t L = (size_t)config->n_layers, R = (size_t)count_blocks(*example->lengths, block);
    layer_blocks *layers = hl_calloc(L, sizeof *layers);
    hl_head_probe *probes = hl_calloc(L, sizeof *probes);
    *maps = (hl_block_maps){
        .maps = { .step = run->weights_step, .layers = hl_calloc(L, sizeof *maps->maps.layers), .config = config },
        .weights = hl_calloc(hl_block_maps_bytes(hl_heads_count(config), *example->lengths, block), 1),
        .integers = hl_calloc(3 * R + 1, sizeof *maps->integers),
    };
    bool complete = layers != NULL && probes != NULL && maps->maps.layers != NULL && maps->weights != NULL &&
                    maps->integers != NULL;
    hl_status status =
        complete ? fill(run, example, block, maps, layers, probes) : hl_error_memory("the maps of blocks");
    hl_free(layers);
    hl_free(probes);
    if (status.code != HL_OK) {
        hl_block_maps_free(maps);
    }
    return status;
}

void hl_block_maps_free(hl_block_maps *maps)
{
    hl_snapshot_free(&maps->maps);
    hl_free(maps->weights);
    hl_free(maps->integers);
    *maps = (hl_block_maps){ 0 };
}
