#include "layers/multi_head.h"

#include "core/ops/add.h"
#include "core/ops/linear.h"

#include <string.h>

/* The rows of q, k and v in in_proj_bias, and in in_proj_weight if that is packed. */
typedef struct rows {
    int64_t first, n;
} rows;

static rows rows_of(hl_multi_head_config c, int which)
{
    int64_t q = c.n_heads * c.d_k, k = c.n_kv_heads * c.d_k, v = c.n_kv_heads * c.d_v;
    const rows all[3] = { { 0, q }, { q, k }, { q + k, v } };
    return all[which];
}

hl_multi_head hl_multi_head_make(hl_parameters *parameters, hl_name name, hl_multi_head_config config)
{
    hl_multi_head layer = { .name = name, .config = config };
    rows q = rows_of(config, 0), k = rows_of(config, 1), v = rows_of(config, 2);
    if (q.n == config.d_model && v.n == config.d_model && config.n_kv_heads == config.n_heads) { /* packed */
        layer.in_proj_weight =
            hl_name_matrix(parameters, name, "in_proj_weight", 3 * config.d_model, config.d_model, 3);
    } else {
        layer.q_proj_weight = hl_name_matrix(parameters, name, "q_proj_weight", q.n, config.d_model, 1);
        layer.k_proj_weight = hl_name_matrix(parameters, name, "k_proj_weight", k.n, config.d_model, 1);
        layer.v_proj_weight = hl_name_matrix(parameters, name, "v_proj_weight", v.n, config.d_model, 1);
    }
    if (config.bias) {
        layer.in_proj_bias = hl_name_vector(parameters, name, "in_proj_bias", q.n + k.n + v.n, HL_INIT_ZERO);
    }
    layer.out_proj = hl_linear_layer_make(parameters, hl_name_of("%s.out_proj", name.text), config.n_heads * config.d_v,
                                          config.d_model, config.bias);
    layer.dropout_weights = hl_dropout_layer_make(hl_name_of("%s.dropout", name.text), config.dropout_weights);
    layer.dropout_concat = hl_dropout_layer_make(hl_name_of("%s.dropout_concat", name.text), config.dropout_concat);
    return layer;
}

hl_tensor *hl_multi_head_project(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, int which)
{
    rows r = rows_of(layer->config, which);
    hl_tensor *const own[3] = { layer->q_proj_weight, layer->k_proj_weight, layer->v_proj_weight };
    hl_tensor *W =
        layer->in_proj_weight != NULL ? hl_tape_parameter_rows(tape, layer->in_proj_weight, r.first, r.n) : own[which];
    return hl_linear(tape, x, W, hl_tape_parameter_rows(tape, layer->in_proj_bias, r.first, r.n));
}

hl_tensor *hl_multi_head_rotate(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, int which,
                                const hl_attention_rules *rules)
{
    const hl_multi_head_config *c = &layer->config;
    if (c->rotary == NULL) {
        return x;
    }
    return which == 0
               ? hl_rotary_forward(tape, c->rotary, x, c->n_heads, rules->query_positions, rules->queries.longest)
               : hl_rotary_forward(tape, c->rotary, x, c->n_kv_heads, rules->key_positions, rules->keys.longest);
}

/* q, k and v, each as columns of a projection. If all come from x, it is a single packed projection. */
static void project_all(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                        const hl_attention_rules *rules, hl_columns qkv[3])
{
    const hl_multi_head_config *c = &layer->config;
    if (layer->in_proj_weight != NULL && x == memory) {
        hl_tensor *packed = hl_linear(tape, x, layer->in_proj_weight, layer->in_proj_bias);
        if (c->rotary != NULL) { /* q and k are the first columns, side by side */
            packed = hl_rotary_forward(tape, c->rotary, packed, c->n_heads + c->n_kv_heads, rules->query_positions,
                                       rules->queries.longest);
        }
        for (int i = 0; i < 3; i++) {
            qkv[i] = (hl_columns){ packed, rows_of(layer->config, i).first };
        }
    } else {
        for (int i = 0; i < 3; i++) {
            hl_tensor *y = hl_multi_head_project(tape, layer, i == 0 ? x : memory, i);
            qkv[i] = (hl_columns){ i < 2 ? hl_multi_head_rotate(tape, layer, y, i, rules) : y, 0 };
        }
    }
}

static hl_tensor *attend(hl_tape *tape, const hl_multi_head *layer, const hl_columns qkv[3],
                         const hl_attention_rules *rules, const hl_head_probe *probe)
{
    const hl_multi_head_config *c = &layer->config;
    if (layer->switches != NULL && probe->gate != NULL) {
        HL_THEN(tape->error, hl_error(HL_INVALID, "%s: a pass has gates, and heads are switched", layer->name.text));
        return NULL;
    }
    hl_mask mask = rules->mask;
    mask.window = c->window;
    hl_tensor *z =
        hl_attention(tape, (hl_attention_args){ .q = qkv[0],
                                                .k = qkv[1],
                                                .v = qkv[2],
                                                .queries = rules->queries,
                                                .keys = rules->keys,
                                                .n_heads = c->n_heads,
                                                .n_kv_heads = c->n_kv_heads,
                                                .d_k = c->d_k,
                                                .d_v = c->d_v,
                                                .mask = mask,
                                                .dropout = layer->dropout_weights.p,
                                                .dropout_stream = layer->dropout_weights.stream,
                                                .recompute = c->recompute,
                                                .gate = layer->switches != NULL ? layer->switches : probe->gate,
                                                .replace = probe->replace,
                                                .observe = probe->observe,
                                                .observe_context = probe->observe_context });
    if (z != NULL && probe->z != NULL && !tape->options.memory.dry) {
        memcpy(probe->z, z->data, (size_t)hl_shape_count(z->shape) * sizeof *probe->z);
    }
    return z;
}

void hl_head_weights_observe(void *weights, const hl_attention_seen *seen)
{
    const hl_head_weights *w = weights;
    int64_t T = w->n_tokens;
    hl_real *head = w->at + (seen->b * w->n_heads + seen->h) * T * T;
    size_t zero = (size_t)(T - seen->n_keys) * sizeof *head;
    for (int64_t i = 0; i < seen->n_queries; i++) {
        hl_real *row = head + (seen->first + i) * T;
        hl_attention_seen_row(seen, i, row);
        memset(row + seen->n_keys, 0, zero);
    }
    if (seen->last) {
        int64_t end = seen->first + seen->n_queries;
        memset(head + end * T, 0, (size_t)((T - end) * T) * sizeof *head);
    }
}

hl_tensor *hl_multi_head_heads(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                               const hl_attention_rules *rules, const hl_head_probe *probe)
{
    static const hl_head_probe none = { 0 };
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_columns qkv[3];
    project_all(tape, layer, x, memory, rules, qkv);
    hl_tensor *z = attend(tape, layer, qkv, rules, probe != NULL ? probe : &none);
    hl_tape_scope(tape, before);
    return z;
}

hl_tensor *hl_multi_head_from_heads(hl_tape *tape, const hl_multi_head *layer, hl_tensor *z, hl_linear_after after)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    z = hl_dropout_layer_forward(tape, &layer->dropout_concat, z);
    hl_tensor *y = hl_linear_layer_then(tape, &layer->out_proj, z, after);
    hl_tape_scope(tape, before);
    return y;
}

hl_tensor *hl_multi_head_forward(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                                 const hl_attention_rules *rules, const hl_head_probe *probe, hl_linear_after after)
{
    return hl_multi_head_from_heads(tape, layer, hl_multi_head_heads(tape, layer, x, memory, rules, probe), after);
}
