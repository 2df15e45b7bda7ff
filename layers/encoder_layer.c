#include "layers/encoder_layer.h"

hl_encoder_layer hl_encoder_layer_make(hl_parameters *parameters, hl_name name, const hl_encoder_layer_config *config)
{
    int64_t d_model = config->attention.d_model;
    if (config->norm != HL_NORM_PRE && config->norm != HL_NORM_POST) {
        hl_parameters_fail(
            parameters, hl_error(HL_INVALID, "%s: unknown place number %d of the norm", name.text, (int)config->norm));
    }
    if ((unsigned)config->feed_forward.kind > HL_FEED_FORWARD_GATED) {
        hl_parameters_fail(parameters, hl_error(HL_INVALID, "%s: unknown kind number %d of feed-forward network",
                                                name.text, (int)config->feed_forward.kind));
    }
    if (config->lacks_norm1 && config->norm != HL_NORM_PRE) {
        hl_parameters_fail(parameters, hl_error(HL_INVALID, "%s: only a pre-norm layer can lack norm1", name.text));
    }
    /* One statement each: the order of registration is the order in files. */
    bool feeds = config->feed_forward.kind != HL_FEED_FORWARD_NONE;
    hl_encoder_layer layer = { .name = name, .norm = config->norm, .kind = config->feed_forward.kind };
    layer.self_attn = hl_multi_head_make(parameters, hl_name_of("%s.self_attn", name.text), config->attention);
    if (feeds) {
        layer.feed_forward = hl_feed_forward_make(parameters, name, d_model, &config->feed_forward);
    }
    if (!config->lacks_norm1) {
        layer.norm1 = hl_norm_layer_make(parameters, hl_name_of("%s.norm1", name.text), d_model, config->norms);
    }
    layer.dropout1 = hl_dropout_layer_make(hl_name_of("%s.dropout1", name.text), config->dropout_residual);
    if (feeds) {
        layer.norm2 = hl_norm_layer_make(parameters, hl_name_of("%s.norm2", name.text), d_model, config->norms);
        layer.dropout2 = hl_dropout_layer_make(hl_name_of("%s.dropout2", name.text), config->dropout_residual);
    }
    return layer;
}

/* residual + drop(W_O z) */
static hl_tensor *join_heads(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *residual, hl_tensor *z)
{
    return hl_multi_head_from_heads(tape, &layer->self_attn, z,
                                    (hl_linear_after){ .dropout = &layer->dropout1, .residual = residual });
}

/* residual + drop(feed_forward(x)) */
static hl_tensor *feed_forward(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *residual, hl_tensor *x)
{
    return hl_feed_forward_forward(tape, &layer->feed_forward, x,
                                   (hl_linear_after){ .dropout = &layer->dropout2, .residual = residual });
}

hl_tensor *hl_encoder_layer_heads(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *x,
                                  const hl_attention_rules *rules, const hl_head_probe *probe)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    x = layer->norm == HL_NORM_PRE ? hl_norm_layer_forward(tape, &layer->norm1, x) : x;
    hl_tensor *z = hl_multi_head_heads(tape, &layer->self_attn, x, x, rules, probe);
    hl_tape_scope(tape, before);
    return z;
}

hl_tensor *hl_encoder_layer_from_heads(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *x, hl_tensor *z)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    bool post = layer->norm == HL_NORM_POST, feeds = layer->kind != HL_FEED_FORWARD_NONE;
    x = join_heads(tape, layer, x, z);
    x = post ? hl_norm_layer_forward(tape, &layer->norm1, x) : x;
    if (feeds && post) {
        x = hl_norm_layer_forward(tape, &layer->norm2, feed_forward(tape, layer, x, x));
    } else if (feeds) {
        x = feed_forward(tape, layer, x, hl_norm_layer_forward(tape, &layer->norm2, x));
    }
    hl_tape_scope(tape, before);
    return x;
}

hl_tensor *hl_encoder_layer_forward(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *x,
                                    const hl_attention_rules *rules, const hl_head_probe *probe)
{
    return hl_encoder_layer_from_heads(tape, layer, x, hl_encoder_layer_heads(tape, layer, x, rules, probe));
}
