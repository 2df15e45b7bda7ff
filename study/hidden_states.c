#include "study/hidden_states.h"

#include "core/base/memory.h"
#include "core/kernels/matmul.h"
#include "heads/evaluator.h"

#include <string.h>

static hl_status keep_states(void *context, hl_evaluator_slice *slice)
{
    slice->states = ((const hl_hidden_states *)context)->rows;
    return hl_ok();
}

hl_status hl_hidden_states_make(const hl_model *model, const hl_batch *batch, int threads, hl_hidden_states *states)
{
    int64_t n_rows = batch->n_rows, d_model = model->config.d_model;
    int n_states = model->config.n_layers + 1;
    *states = (hl_hidden_states){ .rows = hl_calloc(hl_size_product((size_t)(n_rows * d_model), (size_t)n_states),
                                                    sizeof *states->rows) };
    HL_NEED(states->rows != NULL, "hidden states");
    states->n_rows = n_rows;
    states->d_model = d_model;
    states->n_states = n_states;
    const hl_evaluator evaluator = { .model = model,
                                     .rows = batch->n_rows,
                                     .threads = threads,
                                     .hidden = true,
                                     .begin = keep_states,
                                     .context = states };
    hl_status status = hl_evaluate_once(evaluator, batch, NULL);
    if (status.code != HL_OK) {
        hl_hidden_states_free(states);
    }
    return status;
}

/* ---- what heads write ---- */

static hl_status keep_outputs(void *context, hl_evaluator_slice *slice)
{
    slice->probes = context;
    return hl_ok();
}

/* Head by head: z of (T, H * Dv) as (H, T, Dv), and its product with the head's columns of W_O. */
static void write_heads(const hl_multi_head *layer, int64_t T, int threads, const hl_real *rows, hl_real *z,
                        hl_real *writes)
{
    int64_t d_v = layer->config.d_v, width = layer->config.n_heads * d_v, D = layer->config.d_model;
    for (int64_t h = 0; h < layer->config.n_heads; h++) {
        for (int64_t t = 0; t < T; t++) {
            memcpy(z + (h * T + t) * d_v, rows + t * width + h * d_v, (size_t)d_v * sizeof *z);
        }
        hl_matmul_into(threads, T, D, d_v, (hl_matrix){ z + h * T * d_v, d_v, false },
                       (hl_matrix){ layer->out_proj.weight->data + h * d_v, width, true }, 0, writes + h * T * D, D);
    }
}

static hl_status run_heads(hl_hidden_states *states, const hl_model *model, const hl_batch *batch, int threads,
                           hl_head_probe *probes)
{
    int64_t T = states->n_rows;
    for (int l = 0; l < model->config.n_layers; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        probes[l].z = hl_malloc((size_t)(T * c->n_heads * c->d_v) * sizeof(hl_real));
        states->z[l] = hl_malloc((size_t)(T * c->n_heads * c->d_v) * sizeof(hl_real));
        states->writes[l] = hl_malloc(hl_size_product((size_t)(T * c->n_heads), (size_t)c->d_model * sizeof(hl_real)));
        HL_NEED(probes[l].z != NULL && states->z[l] != NULL && states->writes[l] != NULL, "what heads write");
    }
    const hl_evaluator evaluator = { .model = model,
                                     .rows = batch->n_rows,
                                     .threads = threads,
                                     .hidden = true,
                                     .begin = keep_outputs,
                                     .context = probes };
    HL_TRY(hl_evaluate_once(evaluator, batch, NULL));
    for (int l = 0; l < model->config.n_layers; l++) {
        write_heads(&model->encoder.layers[l].self_attn, T, threads, probes[l].z, states->z[l], states->writes[l]);
    }
    return hl_ok();
}

hl_status hl_hidden_states_add_writes(hl_hidden_states *states, const hl_model *model, const hl_batch *batch,
                                      int threads)
{
    size_t L = (size_t)model->config.n_layers;
    hl_head_probe *probes = hl_calloc(L, sizeof *probes);
    states->z = hl_calloc(L, sizeof *states->z);
    states->writes = hl_calloc(L, sizeof *states->writes);
    bool complete = probes != NULL && states->z != NULL && states->writes != NULL;
    hl_status status =
        complete ? run_heads(states, model, batch, threads, probes) : hl_error_memory("what heads write");
    for (size_t l = 0; probes != NULL && l < L; l++) {
        hl_free(probes[l].z);
    }
    hl_free(probes);
    return status;
}

void hl_hidden_states_free(hl_hidden_states *states)
{
    for (int l = 0; l < states->n_states - 1; l++) {
        hl_free(states->z != NULL ? states->z[l] : NULL);
        hl_free(states->writes != NULL ? states->writes[l] : NULL);
    }
    hl_free(states->z);
    hl_free(states->writes);
    hl_free(states->rows);
    *states = (hl_hidden_states){ 0 };
}
