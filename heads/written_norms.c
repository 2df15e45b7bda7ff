#include "heads/written_norms.h"

#include "core/base/memory.h"
#include "core/kernels/matmul.h"

#include <math.h>

static int64_t gram_numbers(const hl_multi_head_config *c)
{
    return c->n_heads * c->d_v * c->d_v;
}

/* G = W^T W of a head's columns of the projection's (D, H * Dv). */
static void compute_layer(const hl_multi_head *layer, int threads, hl_real *grams)
{
    int64_t d_v = layer->config.d_v, width = layer->config.n_heads * d_v;
    for (int64_t h = 0; h < layer->config.n_heads; h++) {
        const hl_real *columns = layer->out_proj.weight->data + h * d_v;
        hl_matmul_into(threads, d_v, d_v, layer->config.d_model, (hl_matrix){ columns, width, true },
                       (hl_matrix){ columns, width, false }, 0, grams + h * d_v * d_v, d_v);
    }
}

size_t hl_written_norms_bytes(const hl_model *model)
{
    int64_t numbers = 0;
    for (int l = 0; l < model->encoder.n_layers; l++) {
        numbers += gram_numbers(&model->encoder.layers[l].self_attn.config);
    }
    return (size_t)numbers * sizeof(hl_real);
}

hl_status hl_written_norms_init(hl_written_norms *norms, const hl_model *model, int threads)
{
    *norms = (hl_written_norms){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    const hl_encoder *encoder = &model->encoder;
    hl_real *next = norms->grams = hl_malloc(hl_written_norms_bytes(model));
    HL_NEED(norms->grams != NULL, "what heads write");
    for (int l = 0; l < encoder->n_layers; l++) {
        compute_layer(&encoder->layers[l].self_attn, threads, next);
        norms->layer[l] = next;
        next += gram_numbers(&encoder->layers[l].self_attn.config);
    }
    return hl_ok();
}

void hl_written_norms_free(hl_written_norms *norms)
{
    hl_free(norms->grams);
    *norms = (hl_written_norms){ 0 };
}

int64_t hl_written_norms_scratch(int64_t n, int64_t d_v)
{
    return n * d_v;
}

void hl_written_norms_of(int threads, int64_t n, int64_t d_v, const hl_real *x, int64_t stride, const hl_real *gram,
                         hl_real *scratch, double *lengths, int64_t lengths_stride)
{
    hl_matmul_into(threads, n, d_v, d_v, (hl_matrix){ x, stride, false }, (hl_matrix){ gram, d_v, false }, 0, scratch,
                   d_v);
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t c = 0; c < d_v; c++) {
            square += (double)x[i * stride + c] * (double)scratch[i * d_v + c];
        }
        lengths[i * lengths_stride] = sqrt(fmax(square, 0)); /* rounding may leave a little less than nothing */
    }
}
