#include "study/hidden_states.h"

#include "core/base/memory.h"
#include "core/kernels/matmul.h"
#include "heads/evaluator.h"

#include <string.h>

/* What a pass fills; the probes (L) are NULL where nothing is asked of heads. */
typedef struct filling {
    hl_real *states;
    hl_head_probe *probes;
} filling;

static hl_status fill(void *context, hl_evaluator_slice *slice)
{
    const filling *f = context;
    slice->states = f->states;
    slice->probes = f->probes;
    return hl_ok();
}

/* Head by head: z of (T, H * Dv) as (H, T, Dv), and its product with the head's columns of W_O. */
static void write_heads(const hl_multi_head *layer, int64_t T, int threads, const hl_real *rows, hl_hidden_writes to)
{
    int64_t d_v = layer->config.d_v, width = layer->config.n_heads * d_v, D = layer->config.d_model;
    for (int64_t h = 0; h < layer->config.n_heads; h++) {
        for (int64_t t = 0; t < T; t++) {
            memcpy(to.z + (h * T + t) * d_v, rows + t * width + h * d_v, (size_t)d_v * sizeof *to.z);
        }
        hl_matmul_into(threads, T, D, d_v, (hl_matrix){ to.z + h * T * d_v, d_v, false },
                       (hl_matrix){ layer->out_proj.weight->data + h * d_v, width, true }, 0, to.writes + h * T * D, D);
    }
}

/* All numbers: the states, and of each layer z twice, first as the model has it, and what heads write. */
static size_t count_numbers(const hl_model *model, int64_t T, bool writes)
{
    int64_t D = model->config.d_model;
    size_t n = hl_size_product((size_t)(T * D), (size_t)model->config.n_layers + 1);
    for (int l = 0; writes && l < model->config.n_layers; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        n = hl_size_sum(n, hl_size_product((size_t)(T * c->n_heads), (size_t)(2 * c->d_v + D)));
    }
    return n;
}

static hl_status run(hl_hidden_states *states, const hl_model *model, const hl_batch *batch, int threads,
                     hl_head_probe *probes)
{
    int64_t T = states->n_rows, D = states->d_model;
    int L = probes != NULL ? model->config.n_layers : 0;
    hl_real *next = states->rows + states->n_states * T * D;
    for (int l = 0; l < L; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        probes[l].z = next;
        states->heads[l].z = next + T * c->n_heads * c->d_v;
        states->heads[l].writes = next + 2 * T * c->n_heads * c->d_v;
        next = states->heads[l].writes + T * c->n_heads * D;
    }
    const hl_evaluator evaluator = { .model = model,
                                     .rows = batch->n_rows,
                                     .threads = threads,
                                     .hidden = true,
                                     .begin = fill,
                                     .context = &(filling){ states->rows, probes } };
    HL_TRY(hl_evaluate_once(evaluator, batch, NULL));
    for (int l = 0; l < L; l++) {
        write_heads(&model->encoder.layers[l].self_attn, T, threads, probes[l].z, states->heads[l]);
    }
    return hl_ok();
}

hl_status hl_hidden_states_make(const hl_model *model, const hl_batch *batch, bool writes, int threads,
                                hl_hidden_states *states)
{
    size_t L = (size_t)model->config.n_layers;
    hl_head_probe *probes = writes ? hl_calloc(L, sizeof *probes) : NULL;
    *states = (hl_hidden_states){ .n_rows = batch->n_rows,
                                  .d_model = model->config.d_model,
                                  .n_states = (int)L + 1,
                                  .rows = hl_calloc(count_numbers(model, batch->n_rows, writes), sizeof *states->rows),
                                  .heads = writes ? hl_calloc(L, sizeof *states->heads) : NULL };
    bool complete = states->rows != NULL && (!writes || (probes != NULL && states->heads != NULL));
    hl_status status = complete ? run(states, model, batch, threads, probes) : hl_error_memory("hidden states");
    hl_free(probes);
    if (status.code != HL_OK) {
        hl_hidden_states_free(states);
    }
    return status;
}

void hl_hidden_states_free(hl_hidden_states *states)
{
    hl_free(states->rows);
    hl_free(states->heads);
    *states = (hl_hidden_states){ 0 };
}
