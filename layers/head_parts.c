#include "layers/head_parts.h"

int hl_head_parts(const hl_multi_head *layer, int64_t head, hl_head_part parts[HL_HEAD_PARTS])
{
    const hl_multi_head_config *c = &layer->config;
    hl_tensor *const own[] = { layer->q_proj_weight, layer->k_proj_weight, layer->v_proj_weight };
    const int64_t widths[] = { c->d_k, c->d_k, c->d_v }, heads[] = { c->n_heads, c->n_kv_heads, c->n_kv_heads };
    int64_t group = head / (c->n_heads / c->n_kv_heads), before = 0;
    for (int i = 0; i < 3; i++) {
        int64_t first = (i == 0 ? head : group) * widths[i];
        bool packed = layer->in_proj_weight != NULL;
        parts[HL_PART_Q + i] = (hl_head_part){ .x = packed ? layer->in_proj_weight : own[i],
                                               .first_row = packed ? before + first : first,
                                               .n_rows = widths[i],
                                               .n_columns = c->d_model };
        parts[HL_PART_Q_BIAS + i] = (hl_head_part){
            .x = layer->in_proj_bias, .first_row = before + first, .n_rows = widths[i], .n_columns = 1
        };
        before += heads[i] * widths[i];
    }
    parts[HL_PART_O] = (hl_head_part){
        .x = layer->out_proj.weight, .n_rows = c->d_model, .first_column = head * c->d_v, .n_columns = c->d_v
    };
    return layer->in_proj_bias != NULL ? HL_HEAD_PARTS : HL_PART_Q_BIAS;
}
