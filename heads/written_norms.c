#include "heads/private/written_norms.h"

#include "core/kernels/matmul.h"
#include "heads/head_set.h"

#include <math.h>

void hl_written_norms_lay_out(hl_written_norms *norms, hl_block *block, const hl_model *model, int64_t rows)
{
    norms->model = model;
    for (int l = 0; l < model->encoder.n_layers; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        norms->grams[l] = hl_block_take(block, c->n_heads * c->d_v * c->d_v, sizeof(hl_real));
    }
    norms->scratch = hl_block_take(block, rows * hl_heads_widest(&model->config), sizeof *norms->scratch);
    norms->lengths = hl_block_take(block, rows, sizeof *norms->lengths);
}

/* G = W^T W of a head's columns of the projection's (D, H * Dv). */
void hl_written_norms_begin(hl_written_norms *norms, int threads)
{
    norms->threads = threads;
    for (int l = 0; l < norms->model->encoder.n_layers; l++) {
        const hl_multi_head *layer = &norms->model->encoder.layers[l].self_attn;
        int64_t d_v = layer->config.d_v, width = layer->config.n_heads * d_v;
        for (int64_t h = 0; h < layer->config.n_heads; h++) {
            const hl_real *columns = layer->out_proj.weight->data + h * d_v;
            hl_matmul_into(threads, d_v, d_v, layer->config.d_model, (hl_matrix){ columns, width, true },
                           (hl_matrix){ columns, width, false }, 0, norms->grams[l] + h * d_v * d_v, d_v);
        }
    }
}

void hl_written_norms_of(const hl_written_norms *norms, int layer, int64_t head, int64_t n, const hl_real *x,
                         int64_t stride)
{
    int64_t d_v = norms->model->config.d_v[layer];
    const hl_real *gram = norms->grams[layer] + head * d_v * d_v;
    hl_matmul_into(norms->threads, n, d_v, d_v, (hl_matrix){ x, stride, false }, (hl_matrix){ gram, d_v, false }, 0,
                   norms->scratch, d_v);
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t c = 0; c < d_v; c++) {
            square += (double)x[i * stride + c] * (double)norms->scratch[i * d_v + c];
        }
        norms->lengths[i] = sqrt(fmax(square, 0)); /* rounding may leave a little less than nothing */
    }
}

void hl_written_norms_of_values(const hl_written_norms *norms, int layer, int64_t head, const hl_attention_args *args)
{
    int64_t stride = hl_shape_last(args->v.x->shape), group = head / (args->n_heads / args->n_kv_heads);
    hl_written_norms_of(norms, layer, head, hl_shape_count(args->v.x->shape) / stride,
                        args->v.x->data + args->v.first + group * args->d_v, stride);
}
