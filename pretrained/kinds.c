#include "pretrained/private/kinds.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- names of weights: ours, theirs ---- */

enum { NAMES = 14 /* of the longest table, and an empty one */ };

static const hl_weight_name bert_body[NAMES] = {
    { "embedding.", "embeddings.word_embeddings.", HL_PART_ALL },
    { "positions.", "embeddings.position_embeddings.", HL_PART_ALL },
    { "token_types.", "embeddings.token_type_embeddings.", HL_PART_ALL },
    { "embedding_norm.", "embeddings.LayerNorm.", HL_PART_ALL },
    { "embedding_projection.", "embeddings_project.", HL_PART_ALL }, /* ELECTRA's */
    { "encoder.layers.#.self_attn.in_proj_", "encoder.layer.#.attention.self.query.", HL_PART_Q },
    { "encoder.layers.#.self_attn.in_proj_", "encoder.layer.#.attention.self.key.", HL_PART_K },
    { "encoder.layers.#.self_attn.in_proj_", "encoder.layer.#.attention.self.value.", HL_PART_V },
    { "encoder.layers.#.self_attn.out_proj.", "encoder.layer.#.attention.output.dense.", HL_PART_ALL },
    { "encoder.layers.#.norm1.", "encoder.layer.#.attention.output.LayerNorm.", HL_PART_ALL },
    { "encoder.layers.#.linear1.", "encoder.layer.#.intermediate.dense.", HL_PART_ALL },
    { "encoder.layers.#.linear2.", "encoder.layer.#.output.dense.", HL_PART_ALL },
    { "encoder.layers.#.norm2.", "encoder.layer.#.output.LayerNorm.", HL_PART_ALL },
};

static const hl_weight_name distilbert_body[NAMES] = {
    { "embedding.", "embeddings.word_embeddings.", HL_PART_ALL },
    { "positions.", "embeddings.position_embeddings.", HL_PART_ALL },
    { "embedding_norm.", "embeddings.LayerNorm.", HL_PART_ALL },
    { "encoder.layers.#.self_attn.in_proj_", "transformer.layer.#.attention.q_lin.", HL_PART_Q },
    { "encoder.layers.#.self_attn.in_proj_", "transformer.layer.#.attention.k_lin.", HL_PART_K },
    { "encoder.layers.#.self_attn.in_proj_", "transformer.layer.#.attention.v_lin.", HL_PART_V },
    { "encoder.layers.#.self_attn.out_proj.", "transformer.layer.#.attention.out_lin.", HL_PART_ALL },
    { "encoder.layers.#.norm1.", "transformer.layer.#.sa_layer_norm.", HL_PART_ALL },
    { "encoder.layers.#.linear1.", "transformer.layer.#.ffn.lin1.", HL_PART_ALL },
    { "encoder.layers.#.linear2.", "transformer.layer.#.ffn.lin2.", HL_PART_ALL },
    { "encoder.layers.#.norm2.", "transformer.layer.#.output_layer_norm.", HL_PART_ALL },
};

static const hl_weight_name gpt2_body[NAMES] = {
    { "embedding.", "wte.", HL_PART_ALL },
    { "positions.", "wpe.", HL_PART_ALL },
    { "encoder.layers.#.norm1.", "h.#.ln_1.", HL_PART_ALL },
    { "encoder.layers.#.self_attn.in_proj_", "h.#.attn.c_attn.", HL_PART_TRANSPOSED },
    { "encoder.layers.#.self_attn.out_proj.", "h.#.attn.c_proj.", HL_PART_TRANSPOSED },
    { "encoder.layers.#.norm2.", "h.#.ln_2.", HL_PART_ALL },
    { "encoder.layers.#.linear1.", "h.#.mlp.c_fc.", HL_PART_TRANSPOSED },
    { "encoder.layers.#.linear2.", "h.#.mlp.c_proj.", HL_PART_TRANSPOSED },
    { "encoder.norm.", "ln_f.", HL_PART_ALL },
};

/* The first layer has no attn_norm. */
static const hl_weight_name modernbert_body[NAMES] = {
    { "embedding.", "embeddings.tok_embeddings.", HL_PART_ALL },
    { "embedding_norm.", "embeddings.norm.", HL_PART_ALL },
    { "encoder.layers.#.norm1.", "layers.#.attn_norm.", HL_PART_ALL },
    { "encoder.layers.#.self_attn.in_proj_", "layers.#.attn.Wqkv.", HL_PART_ALL },
    { "encoder.layers.#.self_attn.out_proj.", "layers.#.attn.Wo.", HL_PART_ALL },
    { "encoder.layers.#.norm2.", "layers.#.mlp_norm.", HL_PART_ALL },
    { "encoder.layers.#.linear1.", "layers.#.mlp.Wi.", HL_PART_GATED },
    { "encoder.layers.#.linear2.", "layers.#.mlp.Wo.", HL_PART_ALL },
    { "encoder.norm.", "final_norm.", HL_PART_ALL },
};

/* Heads of masked models. Where the matrix is the embedding's, files hold it, and its bias, under one name or two;
 * where it is not, the bias is that of the decoder, and the other has no use. */
static const hl_weight_name bert_masked[NAMES] = {
    { "head.dense.", "cls.predictions.transform.dense.", HL_PART_ALL },
    { "head.norm.", "cls.predictions.transform.LayerNorm.", HL_PART_ALL },
    { "head.", "cls.predictions.decoder.", HL_PART_ALL },
    { "head.", "cls.predictions.", HL_PART_ALL },
    { "output.", "cls.predictions.decoder.", HL_PART_ALL },
};

static const hl_weight_name distilbert_masked[NAMES] = {
    { "head.dense.", "vocab_transform.", HL_PART_ALL },
    { "head.norm.", "vocab_layer_norm.", HL_PART_ALL },
    { "head.", "vocab_projector.", HL_PART_ALL },
    { "output.", "vocab_projector.", HL_PART_ALL },
};

static const hl_weight_name electra_masked[NAMES] = {
    { "head.dense.", "generator_predictions.dense.", HL_PART_ALL },
    { "head.norm.", "generator_predictions.LayerNorm.", HL_PART_ALL },
    { "head.", "generator_lm_head.", HL_PART_ALL },
    { "output.", "generator_lm_head.", HL_PART_ALL },
};

static const hl_weight_name roberta_masked[NAMES] = {
    { "head.dense.", "lm_head.dense.", HL_PART_ALL }, { "head.norm.", "lm_head.layer_norm.", HL_PART_ALL },
    { "head.", "lm_head.decoder.", HL_PART_ALL },     { "head.", "lm_head.", HL_PART_ALL },
    { "output.", "lm_head.decoder.", HL_PART_ALL },
};

static const hl_weight_name modernbert_masked[NAMES] = {
    { "head.dense.", "head.dense.", HL_PART_ALL },
    { "head.norm.", "head.norm.", HL_PART_ALL },
    { "head.", "decoder.", HL_PART_ALL },
    { "output.", "decoder.", HL_PART_ALL },
};

/* Also its classes. */
static const hl_weight_name modernbert_tags[NAMES] = {
    { "head.dense.", "head.dense.", HL_PART_ALL },
    { "head.norm.", "head.norm.", HL_PART_ALL },
    { "head.", "classifier.", HL_PART_ALL },
    { "output.", "classifier.", HL_PART_ALL },
};

/* Reads the last token, which alone has seen all others. */
static const hl_weight_name gpt2_classes[NAMES] = { { "output.", "score.", HL_PART_ALL } };

static const hl_weight_name gpt2_next[NAMES] = { { "output.", "lm_head.", HL_PART_ALL } };

/* Also BERT's classes. */
static const hl_weight_name any_tags[NAMES] = { { "output.", "classifier.", HL_PART_ALL } };

static const hl_weight_name bert_pooler[NAMES] = { { "pooler.dense.", "pooler.dense.", HL_PART_ALL } };

static const hl_weight_name distilbert_classes[NAMES] = {
    { "pooler.dense.", "pre_classifier.", HL_PART_ALL },
    { "output.", "classifier.", HL_PART_ALL },
};

/* Also RoBERTa's. */
static const hl_weight_name electra_classes[NAMES] = {
    { "pooler.dense.", "classifier.dense.", HL_PART_ALL },
    { "output.", "classifier.out_proj.", HL_PART_ALL },
};

/* ---- the kinds ---- */

static const hl_model_config bert_shape = {
    .positions = HL_POSITIONS_LEARNED,
    .norm = HL_NORM_POST,
    .bias = true,
    .embedding_norm = true,
    .unscaled_embedding = true,
    .rotary_theta = HL_ROTARY_THETA,
};

static const hl_model_config gpt2_shape = {
    .positions = HL_POSITIONS_LEARNED,
    .norm = HL_NORM_PRE,
    .causal = true,
    .bias = true,
    .unscaled_embedding = true,
    .scale_residual = true,
    .rotary_theta = HL_ROTARY_THETA,
};

/* Warner et al. 2024, arXiv:2412.13663. */
static const hl_model_config modernbert_shape = {
    .positions = HL_POSITIONS_ROTARY,
    .norm = HL_NORM_PRE,
    .feed_forward = HL_FEED_FORWARD_GATED,
    .bias = true,
    .embedding_norm = true,
    .lacks_first_norm = true,
    .unscaled_embedding = true,
};

#define BERT_SIZES                                                                                                     \
    .d_model = "hidden_size", .n_layers = "num_hidden_layers", .n_heads = "num_attention_heads",                       \
    .d_ff = "intermediate_size", .max_length = "max_position_embeddings", .activation = "hidden_act",                  \
    .norm_epsilon = "layer_norm_eps", .norm_epsilon_otherwise = 1e-12, .dropout_otherwise = 0.1, .shape = &bert_shape, \
    .dropout_embedding = "hidden_dropout_prob", .dropout_residual = "hidden_dropout_prob",                             \
    .dropout_attention = "attention_probs_dropout_prob", .dropout_tags = "classifier_dropout",                         \
    .dropout_classes = "classifier_dropout", .has_types = true

/* All but the names; so even the prefix of weights is the same in its descendants. */
#define ROBERTA                                                                                                    \
    .prefix = "roberta.", BERT_SIZES, .positions_follow_padding = true, .gelu_head = true, .pooler_dropout = true, \
    .pooler = HL_POOLER_TANH, .body = bert_body, .words = roberta_masked, .tags = any_tags, .classes = electra_classes

static const hl_model_kind kinds[] = {
    {
        .name = "bert",
        .class_name = "Bert",
        .prefix = "bert.",
        BERT_SIZES,
        .pooler = HL_POOLER_TANH,
        .body = bert_body,
        .pooler_rows = bert_pooler,
        .words = bert_masked,
        .tags = any_tags,
        .classes = any_tags,
    },
    {
        .name = "distilbert",
        .class_name = "DistilBert",
        .prefix = "distilbert.",
        .d_model = "dim",
        .n_layers = "n_layers",
        .n_heads = "n_heads",
        .d_ff = "hidden_dim",
        .max_length = "max_position_embeddings",
        .activation = "activation",
        .shape = &bert_shape,
        .norm_epsilon_otherwise = 1e-12,
        .dropout_otherwise = 0.1,
        .dropout_embedding = "dropout",
        .dropout_residual = "dropout",
        .dropout_attention = "attention_dropout",
        .dropout_classes = "seq_classif_dropout",
        .dropout_classes_otherwise = 0.2,
        .pooler = HL_POOLER_RELU,
        .body = distilbert_body,
        .words = distilbert_masked,
        .tags = any_tags,
        .classes = distilbert_classes,
    },
    {
        .name = "electra",
        .class_name = "Electra",
        .prefix = "electra.",
        BERT_SIZES,
        .has_embedding_size = true,
        .gelu_head = true,
        .pooler_dropout = true,
        .pooler = HL_POOLER_GELU,
        .body = bert_body,
        .words = electra_masked,
        .tags = any_tags,
        .classes = electra_classes,
    },
    { .name = "roberta", .class_name = "Roberta", ROBERTA, .tokens = HL_KIND_MERGES },
    { .name = "xlm-roberta", .class_name = "XLMRoberta", ROBERTA, .tokens = HL_KIND_SENTENCEPIECE },
    { .name = "camembert", .class_name = "Camembert", ROBERTA, .tokens = HL_KIND_SENTENCEPIECE },
    {
        .name = "gpt2",
        .class_name = "GPT2",
        .prefix = "transformer.",
        .d_model = "n_embd",
        .n_layers = "n_layer",
        .n_heads = "n_head",
        .d_ff = "n_inner",
        .max_length = "n_positions",
        .activation = "activation_function",
        .norm_epsilon = "layer_norm_epsilon",
        .shape = &gpt2_shape,
        .norm_epsilon_otherwise = 1e-5,
        .dropout_otherwise = 0.1,
        .dropout_embedding = "embd_pdrop",
        .dropout_residual = "resid_pdrop",
        .dropout_attention = "attn_pdrop",
        .dropout_tags = "classifier_dropout",
        .inverse_scale = "scale_attn_by_inverse_layer_idx",
        .causal = true,
        .tokens = HL_KIND_MERGES,
        .body = gpt2_body,
        .words = gpt2_next,
        .tags = any_tags,
        .classes = gpt2_classes,
    },
    {
        .name = "modernbert",
        .class_name = "ModernBert",
        .prefix = "model.",
        .shape = &modernbert_shape,
        .d_model = "hidden_size",
        .n_layers = "num_hidden_layers",
        .n_heads = "num_attention_heads",
        .d_ff = "intermediate_size",
        .max_length = "max_position_embeddings",
        .activation = "hidden_activation",
        .head_activation = "classifier_activation",
        .norm_epsilon = "norm_eps",
        .norm_epsilon_otherwise = 1e-5,
        .dropout_embedding = "embedding_dropout",
        .dropout_attention = "attention_dropout",
        .dropout_ffn = "mlp_dropout",
        .dropout_tags = "classifier_dropout",
        .dropout_classes = "classifier_dropout",
        .norm_bias = "norm_bias",
        .attention_bias = "attention_bias",
        .feed_forward_bias = "mlp_bias",
        .head_bias = "classifier_bias",
        .pooling = "classifier_pooling",
        .head_of_all = true,
        .tokens = HL_KIND_TOKENIZER,
        .body = modernbert_body,
        .words = modernbert_masked,
        .tags = modernbert_tags,
        .classes = modernbert_tags,
    },
};

const char *hl_model_kind_names(char names[HL_MODEL_KIND_NAMES])
{
    size_t size = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *comma = i > 0 ? ", " : "";
        size += (size_t)snprintf(names + size, HL_MODEL_KIND_NAMES - size, "%s%s", comma, kinds[i].name);
        assert(size < HL_MODEL_KIND_NAMES);
    }
    return names;
}

const hl_model_kind *hl_model_kind_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

const char *const hl_model_kind_endings[HL_PRETRAINED_HEADS] = {
    [HL_PRETRAINED_NONE] = "Model",
    [HL_PRETRAINED_MASKED] = "ForMaskedLM",
    [HL_PRETRAINED_NEXT] = "LMHeadModel",
    [HL_PRETRAINED_TAGS] = "ForTokenClassification",
    [HL_PRETRAINED_CLASSES] = "ForSequenceClassification",
};

const hl_weight_name *hl_model_kind_head(const hl_model_kind *kind, hl_pretrained_head head)
{
    return head == HL_PRETRAINED_TAGS ? kind->tags : head == HL_PRETRAINED_CLASSES ? kind->classes : kind->words;
}

bool hl_model_kind_lacks_bias(const hl_model_kind *kind, hl_pretrained_head head)
{
    return kind->causal && (head == HL_PRETRAINED_NEXT || head == HL_PRETRAINED_CLASSES);
}

bool hl_weight_part_is_third(hl_weight_part part)
{
    return part == HL_PART_Q || part == HL_PART_K || part == HL_PART_V;
}

int hl_weight_name_layers(const hl_weight_name *row, const hl_model *model)
{
    return strchr(row->ours, '#') != NULL ? model->config.n_layers : 1;
}

void hl_weight_name_print(const char *pattern, int layer, char name[HL_WEIGHT_NAME])
{
    const char *at = strchr(pattern, '#');
    if (at != NULL) {
        snprintf(name, HL_WEIGHT_NAME, "%.*s%d%s", (int)(at - pattern), pattern, layer, at + 1);
    } else {
        snprintf(name, HL_WEIGHT_NAME, "%s", pattern);
    }
}

/* ---- activations; of several spellings the first is written ---- */

static const struct {
    const char *name;
    hl_activation activation;
} activations[] = {
    { "relu", HL_RELU },
    { "gelu", HL_GELU },
    { "gelu_python", HL_GELU },
    { "gelu_new", HL_GELU_TANH },
    { "gelu_fast", HL_GELU_TANH },
    { "gelu_pytorch_tanh", HL_GELU_TANH },
    { "quick_gelu", HL_QUICK_GELU },
    { "silu", HL_SILU },
    { "swish", HL_SILU },
};

const char *hl_model_kind_activation(hl_activation activation)
{
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++) {
        if (activations[i].activation == activation) {
            return activations[i].name;
        }
    }
    return NULL;
}

bool hl_model_kind_find_activation(const char *name, hl_activation *activation)
{
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++) {
        if (strcmp(name, activations[i].name) == 0) {
            *activation = activations[i].activation;
            return true;
        }
    }
    return false;
}
