#include "layers/model_config.h"

#include <tgmath.h>

/* Up to this size, the product of two sizes and sums of a few of these fit into int64_t. */
static const int64_t max_size = (int64_t)1 << 30;

static bool is_size(int64_t n)
{
    return n >= 1 && n <= max_size;
}

void hl_model_config_heads(hl_model_config *config, int32_t heads)
{
    int32_t width = heads > 0 ? (int32_t)(config->d_model / heads) : 0;
    for (int l = 0; l < HL_MAX_LAYERS; l++) {
        config->heads[l] = config->kv_heads[l] = heads;
        config->d_k[l] = config->d_v[l] = width;
    }
}

bool hl_model_config_breaks(const hl_model_config *c, hl_model_rule rule)
{
    switch (rule) {
    case HL_RULE_TIED_BIAS_UNTIED:
        return c->tied_bias && !c->tie_embedding;
    case HL_RULE_TIED_BIAS_TRANSFORM:
        return c->tied_bias && c->tie_embedding && c->head == HL_HEAD_TRANSFORM;
    case HL_RULE_OFFSET_UNLEARNED:
        return c->position_offset > 0 && c->positions != HL_POSITIONS_LEARNED;
    case HL_RULE_TIE_WIDTHS:
        return c->tie_embedding && c->head == HL_HEAD_LINEAR && c->embedding_size != 0 &&
               c->embedding_size != c->d_model;
    case HL_RULE_DROPOUT_WITHOUT_POOLER:
        return c->pooler == HL_POOLER_NONE && c->dropout_pooler != 0;
    case HL_RULE_TIE_WITHOUT_OUTPUT:
        return c->head == HL_HEAD_NONE && c->tie_embedding;
    case HL_RULE_POOLER_WITHOUT_OUTPUT:
        return c->head == HL_HEAD_NONE && c->pooler != HL_POOLER_NONE;
    case HL_RULE_DROPOUT_WITHOUT_OUTPUT:
        return c->head == HL_HEAD_NONE && c->dropout_output != 0;
    case HL_RULE_FIRST_NORM_POST:
        return c->lacks_first_norm && c->norm != HL_NORM_PRE;
    }
    return false;
}

int64_t hl_model_config_window(const hl_model_config *c, int layer)
{
    return c->global_every > 0 && layer % c->global_every == 0 ? 0 : c->window;
}

hl_norm_config hl_model_config_norms(const hl_model_config *c)
{
    return (hl_norm_config){ c->norm_kind, c->norm_bias == HL_BIAS_TRUE, (hl_real)c->norm_epsilon };
}

static hl_status check_layer(const hl_model_config *c, int l)
{
    if (!is_size(c->heads[l]) || !is_size(c->kv_heads[l]) || c->heads[l] % c->kv_heads[l] != 0 || !is_size(c->d_k[l]) ||
        !is_size(c->d_v[l])) {
        return hl_error(HL_INVALID,
                        "model: layer %d has %lld heads, %lld key/value heads, d_k %lld, d_v %lld: all must be in "
                        "1 .. %lld, and the second divide the first",
                        l, (long long)c->heads[l], (long long)c->kv_heads[l], (long long)c->d_k[l],
                        (long long)c->d_v[l], (long long)max_size);
    }
    return hl_ok();
}

static hl_status check_sizes(const hl_model_config *c)
{
    if (c->n_layers < 1 || c->n_layers > HL_MAX_LAYERS) {
        return hl_error(HL_INVALID, "model: %d layers are not in 1 .. %d", c->n_layers, HL_MAX_LAYERS);
    }
    if (!is_size(c->vocabulary) || !is_size(c->targets) || !is_size(c->max_length) || !is_size(c->d_model) ||
        !is_size(c->d_ff) || !is_size(c->embedding_size) || (c->token_types != 0 && !is_size(c->token_types))) {
        return hl_error(HL_INVALID,
                        "model: vocabulary, targets, token_types, max_length, d_model, embedding_size and d_ff must be "
                        "in 1 .. %lld",
                        (long long)max_size);
    }
    if (c->window < 0 || c->window > max_size || c->global_every < 0 || c->global_every > max_size) {
        return hl_error(HL_INVALID, "model: a window of %lld, a global layer every %lld: both must be in 0 .. %lld",
                        (long long)c->window, (long long)c->global_every, (long long)max_size);
    }
    if (hl_model_config_breaks(c, HL_RULE_FIRST_NORM_POST)) {
        return hl_error(HL_INVALID, "model: norms after attention, but the first layer has none");
    }
    if (c->position_offset < 0 || c->position_offset > max_size - c->max_length) {
        return hl_error(HL_INVALID, "model: a position_offset of %lld: with max_length it must be in 0 .. %lld",
                        (long long)c->position_offset, (long long)max_size);
    }
    if (hl_model_config_breaks(c, HL_RULE_OFFSET_UNLEARNED)) {
        return hl_error(HL_INVALID, "model: a position_offset, but positions are not learned");
    }
    return hl_ok();
}

/* What follows the encoder. */
static hl_status check_output(const hl_model_config *c)
{
    if ((unsigned)c->pooling > HL_POOLING_LAST) {
        return hl_error(HL_INVALID, "model: unknown pooling number %d", (int)c->pooling);
    }
    if ((unsigned)c->head > HL_HEAD_NONE || (unsigned)c->pooler > HL_POOLER_GELU) {
        return hl_error(HL_INVALID, "model: unknown head number %d or pooler number %d", (int)c->head, (int)c->pooler);
    }
    if (hl_model_config_breaks(c, HL_RULE_TIE_WITHOUT_OUTPUT) ||
        hl_model_config_breaks(c, HL_RULE_POOLER_WITHOUT_OUTPUT) ||
        hl_model_config_breaks(c, HL_RULE_DROPOUT_WITHOUT_OUTPUT)) {
        return hl_error(HL_INVALID, "model: a shared matrix, a pooler or a dropout of an output layer, but there is no "
                                    "output layer");
    }
    if (hl_model_config_breaks(c, HL_RULE_DROPOUT_WITHOUT_POOLER)) {
        return hl_error(HL_INVALID, "model: a dropout before the pooler, but there is no pooler");
    }
    if (c->tie_embedding && c->targets > c->vocabulary) {
        return hl_error(HL_INVALID,
                        "model: the output layer of %lld targets cannot share the matrix of %lld embedded tokens",
                        (long long)c->targets, (long long)c->vocabulary);
    }
    if (hl_model_config_breaks(c, HL_RULE_TIE_WIDTHS)) {
        return hl_error(
            HL_INVALID,
            "model: the output layer reads vectors of %lld numbers and cannot share the embedding's matrix, "
            "whose vectors have %lld; a head with a transform maps the one to the other",
            (long long)c->d_model, (long long)c->embedding_size);
    }
    if (hl_model_config_breaks(c, HL_RULE_TIED_BIAS_TRANSFORM)) {
        return hl_error(HL_INVALID,
                        "model: a bias of an output layer that shares a matrix, but its head has one by `bias`");
    }
    if (hl_model_config_breaks(c, HL_RULE_TIED_BIAS_UNTIED)) {
        return hl_error(HL_INVALID, "model: a bias of an output layer that shares a matrix, but shares none");
    }
    return hl_ok();
}

/* Whether it is at least 0, also after conversion to the type that layers use, which may be narrower. */
static bool is_allowed(double value)
{
    return value >= 0 && isfinite((hl_real)value);
}

static hl_status check_numbers(const hl_model_config *c)
{
    if (!is_allowed(c->initial_std) || !is_allowed(c->norm_epsilon)) {
        return hl_error(HL_INVALID,
                        "model: an initial deviation of %g, an epsilon of %g: both must be finite and not below 0",
                        c->initial_std, c->norm_epsilon);
    }
    if (!(c->rotary_theta >= 0 && isfinite(c->rotary_theta)) ||
        !(c->rotary_theta_local >= 0 && isfinite(c->rotary_theta_local))) {
        return hl_error(HL_INVALID, "model: thetas of %g and %g: both must be finite and not below 0", c->rotary_theta,
                        c->rotary_theta_local);
    }
    const double dropouts[] = { c->dropout_attention, c->dropout_concat, c->dropout_residual, c->dropout_ffn,
                                c->dropout_embedding, c->dropout_pooler, c->dropout_output };
    for (size_t i = 0; i < sizeof dropouts / sizeof *dropouts; i++) {
        if (!(dropouts[i] >= 0 && (hl_real)dropouts[i] < 1)) {
            return hl_error(HL_INVALID, "model: a dropout of %g is not in [0, 1)", dropouts[i]);
        }
    }
    return hl_ok();
}

hl_status hl_model_config_resolve(hl_model_config *c)
{
    c->targets = c->targets != 0 ? c->targets : c->vocabulary;
    c->embedding_size = c->embedding_size != 0 ? c->embedding_size : c->d_model;
    hl_part_bias *parts[] = { &c->norm_bias, &c->attention_bias, &c->feed_forward_bias, &c->head_bias };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if ((unsigned)*parts[i] > HL_BIAS_FALSE) {
            return hl_error(HL_INVALID, "model: unknown number %d of a part's bias", (int)*parts[i]);
        }
        *parts[i] = *parts[i] != HL_BIAS_AUTO ? *parts[i] : c->bias ? HL_BIAS_TRUE : HL_BIAS_FALSE;
    }
    HL_TRY(check_sizes(c));
    HL_TRY(check_numbers(c));
    HL_TRY(check_output(c));
    for (int l = 0; l < c->n_layers; l++) {
        HL_TRY(check_layer(c, l));
    }
    return hl_ok();
}
