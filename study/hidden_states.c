#include "study/hidden_states.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
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

/* What is made, and of which model. */
typedef struct making {
    hl_hidden_states *states;
    hl_head_probe *probes; /* (L); NULL: nothing is asked of heads */
    const hl_model *model;
    bool writes;
} making;

/* The states, and of each layer z twice, first as the model has it, and what heads write. */
static void lay_out(void *context, hl_block *block)
{
    making *m = context;
    hl_hidden_states *states = m->states;
    int64_t T = states->n_rows, D = states->d_model, L = m->writes ? m->model->config.n_layers : 0;
    states->rows = hl_block_take(block, states->n_states * T * D, sizeof *states->rows);
    if (L > 0) {
        states->heads = hl_block_take(block, L, sizeof *states->heads);
        m->probes = hl_block_take(block, L, sizeof *m->probes);
    }
    for (int64_t l = 0; l < L; l++) {
        const hl_multi_head_config *c = &m->model->encoder.layers[l].self_attn.config;
        hl_real *probed = hl_block_take(block, T * c->n_heads * c->d_v, sizeof *probed);
        hl_real *z = hl_block_take(block, T * c->n_heads * c->d_v, sizeof *z);
        hl_real *writes = hl_block_take(block, T * c->n_heads * D, sizeof *writes);
        if (m->probes != NULL) {
            m->probes[l].z = probed;
            states->heads[l] = (hl_hidden_writes){ .z = z, .writes = writes };
        }
    }
}

static hl_status run(const making *m, const hl_batch *batch, int threads)
{
    const hl_evaluator evaluator = { .model = m->model,
                                     .rows = batch->n_rows,
                                     .threads = threads,
                                     .hidden = true,
                                     .begin = fill,
                                     .context = &(filling){ m->states->rows, m->probes } };
    HL_TRY(hl_evaluate_once(evaluator, batch, NULL));
    for (int l = 0; m->probes != NULL && l < m->model->config.n_layers; l++) {
        write_heads(&m->model->encoder.layers[l].self_attn, batch->n_rows, threads, m->probes[l].z,
                    m->states->heads[l]);
    }
    return hl_ok();
}

hl_status hl_hidden_states_make(const hl_model *model, const hl_batch *batch, bool writes, int threads,
                                hl_hidden_states *states)
{
    *states = (hl_hidden_states){ .n_rows = batch->n_rows,
                                  .d_model = model->config.d_model,
                                  .n_states = model->config.n_layers + 1 };
    making m = { .states = states, .model = model, .writes = writes };
    hl_status status = hl_block_make(&states->memory, lay_out, &m, "hidden states");
    HL_THEN(status, run(&m, batch, threads));
    if (status.code != HL_OK) {
        hl_hidden_states_free(states);
    }
    return status;
}

void hl_hidden_states_free(hl_hidden_states *states)
{
    hl_free(states->memory);
    *states = (hl_hidden_states){ 0 };
}
