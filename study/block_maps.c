#include "study/block_maps.h"

#include "core/base/memory.h"
#include "data/batch_storage.h"
#include "data/examples_storage.h"
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
static hl_status make_example(const hl_examples *example, int64_t block, hl_examples *blocks)
{
    int64_t R = count_blocks(*example->lengths, block);
    HL_TRY(hl_examples_allocate(1, R, 0, blocks));
    for (int64_t r = 0; r < R; r++) {
        blocks->tokens[r] = example->tokens[r * block];
        blocks->targets[r] = blocks->sources[r] = HL_IGNORE;
    }
    *blocks->lengths = (int32_t)R;
    blocks->kinds = example->kinds;
    return hl_ok();
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

/* What the layers are observed with. */
typedef struct observing {
    layer_blocks layers[HL_MAX_LAYERS];
    hl_head_probe probes[HL_MAX_LAYERS];
} observing;

static hl_status fill(const hl_opened_model *run, const hl_examples *example, int64_t block, hl_block_maps *maps,
                      observing *o)
{
    const hl_model_config *config = &run->source.shape;
    hl_real *cells = maps->weights;
    HL_NEED(o != NULL && cells != NULL && maps->maps.layers != NULL, "the maps of blocks");
    HL_TRY(make_example(example, block, &maps->maps.examples));
    int64_t R = maps->maps.examples.n_tokens;
    for (int l = 0; l < config->n_layers; l++) {
        o->layers[l] = (layer_blocks){ cells, *example->lengths, R, block };
        o->probes[l] = (hl_head_probe){ .observe = add_rows, .observe_context = &o->layers[l] };
        maps->maps.layers[l] = hl_patterns_of(cells, &maps->maps.examples, config, l, 0);
        cells += config->heads[l] * R * R;
    }
    return run_model(run, example, o->probes);
}

size_t hl_block_maps_bytes(int64_t n_heads, int64_t n_tokens, int64_t block)
{
    size_t R = (size_t)count_blocks(n_tokens, block);
    return hl_size_product(hl_size_product(R, R), (size_t)n_heads * sizeof(hl_real));
}

hl_status hl_block_maps_make(const hl_opened_model *run, const hl_examples *example, int64_t block, hl_block_maps *maps)
{
    const hl_model_config *config = &run->source.shape;
    size_t bytes = hl_block_maps_bytes(hl_heads_count(config), *example->lengths, block);
    observing *o = hl_calloc(1, sizeof *o);
    *maps = (hl_block_maps){ .maps = { .step = run->weights_step,
                                       .layers = hl_calloc((size_t)config->n_layers, sizeof *maps->maps.layers),
                                       .config = config },
                             .weights = hl_calloc(bytes, 1) };
    hl_status status = fill(run, example, block, maps, o);
    hl_free(o);
    if (status.code != HL_OK) {
        hl_block_maps_free(maps);
    }
    return status;
}

void hl_block_maps_free(hl_block_maps *maps)
{
    hl_examples_free(&maps->maps.examples);
    hl_snapshot_free(&maps->maps);
    hl_free(maps->weights);
    *maps = (hl_block_maps){ 0 };
}
