#include "heads/head_vectors.h"

int64_t hl_head_vectors_count(const hl_multi_head *layer, int part)
{
    return part == HL_PART_Q || part == HL_PART_K ? layer->config.d_k : layer->config.d_v;
}

int64_t hl_head_vectors_most(const hl_model_config *config)
{
    int64_t most = 0;
    for (int l = 0; l < config->n_layers; l++) {
        most = config->d_k[l] > most ? config->d_k[l] : most;
        most = config->d_v[l] > most ? config->d_v[l] : most;
    }
    return most;
}

void hl_head_vectors(const hl_encoder_layer *layer, int64_t head, int part, double *columns)
{
    const hl_multi_head *attention = &layer->self_attn;
    const hl_tensor *gain = layer->norm == HL_NORM_PRE && part != HL_PART_O ? layer->norm1.weight : NULL;
    int64_t D = attention->config.d_model, n = hl_head_vectors_count(attention, part);
    hl_head_part parts[HL_HEAD_PARTS];
    hl_head_parts(attention, head, parts);
    for (int64_t d = 0; d < D; d++) {
        for (int64_t i = 0; i < n; i++) {
            int64_t at = hl_head_part_at(&parts[part], part == HL_PART_O ? d : i, part == HL_PART_O ? i : d);
            columns[d * n + i] = (double)parts[part].x->data[at] * (gain != NULL ? (double)gain->data[d] : 1);
        }
    }
}
