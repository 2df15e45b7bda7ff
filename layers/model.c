#include "layers/model.h"

#include "core/base/memory.h"
#include "core/kernels/bf16.h"
#include "core/kernels/small_matmul.h"
#include "core/ops/gather_rows.h"
#include "core/ops/mean_rows.h"

#include <string.h>
#include <tgmath.h>

/* The table of a layer, which a layer before may have too; NULL without rotary positions. */
static const hl_rotary *rotary_of(hl_model *model, int l)
{
    const hl_model_config *c = &model->config;
    if (c->positions != HL_POSITIONS_ROTARY) {
        return NULL;
    }
    bool local = hl_model_config_window(c, l) > 0 && c->rotary_theta_local > 0;
    hl_rotary rotary = { .max_length = c->max_length,
                         .width = c->d_k[l],
                         .theta = local ? c->rotary_theta_local : c->rotary_theta };
    int i = 0;
    while (i < model->n_rotaries &&
           (model->rotaries[i].width != rotary.width || model->rotaries[i].theta != rotary.theta)) {
        i++;
    }
    if (i == model->n_rotaries) {
        model->rotaries[model->n_rotaries++] = rotary;
    }
    return &model->rotaries[i];
}

static hl_encoder_layer_config layer_config(hl_model *model, int l)
{
    const hl_model_config *c = &model->config;
    return (hl_encoder_layer_config){
        .attention = { .d_model = c->d_model,
                       .n_heads = c->heads[l],
                       .n_kv_heads = c->kv_heads[l],
                       .d_k = c->d_k[l],
                       .d_v = c->d_v[l],
                       .bias = c->attention_bias == HL_BIAS_TRUE,
                       .dropout_weights = (hl_real)c->dropout_attention,
                       .dropout_concat = (hl_real)c->dropout_concat,
                       .window = hl_model_config_window(c, l),
                       .rotary = rotary_of(model, l),
                       .recompute = c->recompute },
        .feed_forward = { .kind = c->feed_forward,
                          .d_ff = c->d_ff,
                          .activation = c->activation,
                          .bias = c->feed_forward_bias == HL_BIAS_TRUE,
                          .dropout = (hl_real)c->dropout_ffn },
        .norm = c->norm,
        .norms = hl_model_config_norms(c),
        .lacks_norm1 = l == 0 && c->lacks_first_norm,
        .dropout_residual = (hl_real)c->dropout_residual,
    };
}

/* The part before the encoder. One statement each: the order of registration is the order in files. */
static void make_embedding(hl_model *model)
{
    const hl_model_config *c = &model->config;
    hl_parameters *parameters = &model->parameters;
    int64_t E = c->embedding_size;
    model->embedding = hl_embedding_layer_make(parameters, hl_name_of("embedding"), c->vocabulary, E);
    if (c->unscaled_embedding) {
        model->embedding.scale = 1;
    }
    if (c->token_types > 0) {
        model->embedding.types = hl_embedding_layer_types(parameters, hl_name_of("token_types"), c->token_types, E);
    }
    model->positions = hl_positions_layer_make(parameters, hl_name_of("positions"), c->positions, c->max_length,
                                               c->position_offset, E);
    if (c->embedding_norm) {
        model->embedding_norm =
            hl_norm_layer_make(parameters, hl_name_of("embedding_norm"), E, hl_model_config_norms(c));
    }
    model->dropout = hl_dropout_layer_make(hl_name_of("dropout"), (hl_real)c->dropout_embedding);
    if (E != c->d_model) {
        model->embedding_projection =
            hl_linear_layer_make(parameters, hl_name_of("embedding_projection"), E, c->d_model, c->bias);
    }
}

/* Applies settings of the config that concern parameters but that the layers do not know. */
static void set_up_parameters(hl_model *model)
{
    const hl_model_config *c = &model->config;
    int sums = c->feed_forward == HL_FEED_FORWARD_NONE ? c->n_layers : 2 * c->n_layers;
    for (int i = 0; i < model->parameters.n; i++) {
        hl_parameter *parameter = &model->parameters.list[i];
        parameter->tensor->bf16 = c->bf16;
        if ((hl_real)c->initial_std > 0 &&
            (parameter->init == HL_INIT_XAVIER_UNIFORM || parameter->init == HL_INIT_NORMAL)) {
            parameter->init = HL_INIT_NORMAL;
            parameter->scale = (hl_real)c->initial_std;
        }
        for (int l = 0; c->scale_residual && l < c->n_layers; l++) {
            const hl_encoder_layer *layer = &model->encoder.layers[l];
            if (parameter->tensor == layer->self_attn.out_proj.weight ||
                parameter->tensor == layer->feed_forward.linear2.weight) {
                parameter->scale /= sqrt((hl_real)sums);
            }
        }
    }
}

hl_status hl_model_init(hl_model *model, const hl_model_config *config)
{
    memset(model, 0, sizeof *model); /* a compound literal would be made on the stack, which may be small */
    model->config = *config;
    HL_TRY(hl_model_config_resolve(&model->config));
    hl_parameters *parameters = &model->parameters;
    model->rotaries = hl_calloc((size_t)config->n_layers, sizeof *model->rotaries);
    HL_NEED(model->rotaries != NULL, "the model's positions");
    hl_encoder_layer_config *layers = hl_calloc((size_t)config->n_layers, sizeof *layers);
    HL_NEED(layers != NULL, "the model's layers");
    for (int l = 0; l < config->n_layers; l++) {
        layers[l] = layer_config(model, l);
    }
    make_embedding(model);
    hl_status status = hl_encoder_init(&model->encoder, parameters, hl_name_of("encoder"), layers, config->n_layers);
    hl_free(layers);
    HL_TRY(status);
    model->output =
        hl_output_layer_make(parameters, &model->config, model->config.tie_embedding ? model->embedding.weight : NULL);
    set_up_parameters(model);
    return hl_parameters_status(parameters);
}

hl_status hl_model_reserve(hl_model *model, hl_model_use use)
{
    if (use != HL_MODEL_TRAINED && use != HL_MODEL_EVALUATED) {
        return hl_error(HL_INVALID, "a model is used as no %d", (int)use);
    }
    if (model->config.bf16 && hl_bf16_missing() != NULL) {
        return hl_error(HL_INVALID, "the model multiplies in bf16, and %s", hl_bf16_missing());
    }
    HL_TRY(hl_small_matmul_prepare());
    HL_TRY(use == HL_MODEL_TRAINED ? hl_parameters_allocate(&model->parameters)
                                   : hl_parameters_allocate_frozen(&model->parameters));
    for (int i = 0; i < model->n_rotaries; i++) {
        HL_TRY(hl_rotary_allocate(&model->rotaries[i]));
    }
    return hl_positions_layer_allocate(&model->positions);
}

hl_status hl_model_allocate(hl_model *model, uint64_t seed)
{
    HL_TRY(hl_model_reserve(model, HL_MODEL_TRAINED));
    hl_parameters_initialise(&model->parameters, seed);
    return hl_ok();
}

void hl_model_free(hl_model *model)
{
    for (int i = 0; i < model->n_rotaries; i++) {
        hl_rotary_free(&model->rotaries[i]);
    }
    hl_free(model->rotaries);
    model->rotaries = NULL;
    model->n_rotaries = 0;
    hl_positions_layer_free(&model->positions);
    hl_encoder_free(&model->encoder);
    hl_parameters_free(&model->parameters);
}

hl_tensor *hl_model_embed(hl_tape *tape, const hl_model *model, const hl_batch *batch)
{
    hl_tensor *x = hl_embedding_layer_forward(tape, &model->embedding, &model->positions, batch);
    if (model->config.embedding_norm) {
        x = hl_norm_layer_forward(tape, &model->embedding_norm, x);
    }
    x = hl_dropout_layer_forward(tape, &model->dropout, x);
    return model->config.embedding_size != model->config.d_model
               ? hl_linear_layer_forward(tape, &model->embedding_projection, x)
               : x;
}

hl_attention_rules hl_model_rules(const hl_model *model, const hl_batch *batch)
{
    hl_sequences examples = hl_batch_sequences(batch);
    return (hl_attention_rules){ .queries = examples,
                                 .keys = examples,
                                 .query_positions = batch->positions,
                                 .key_positions = batch->positions,
                                 .mask = { .causal = model->config.causal } };
}

hl_tensor *hl_model_layers(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                           const hl_head_probe *probes)
{
    hl_attention_rules rules = hl_model_rules(model, batch);
    return hl_encoder_layers(tape, &model->encoder, layer, x, &rules, probes);
}

/* The number from which its rows count in the lists that name them; a dry pass has no lists. */
static int32_t first_row(const hl_batch *batch)
{
    return batch->offsets != NULL ? batch->offsets[0] : 0;
}

/* Logits from the last layer's output x (N, D), for the examples that contain the n ascending rows, one row in each. */
static hl_tensor *pooled_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_tensor *x,
                                const int32_t *rows, int64_t n)
{
    x = hl_encoder_end(tape, &model->encoder, x);
    const char *before = hl_tape_scope(tape, "pooling");
    x = hl_mean_rows(tape, x, hl_batch_sequences(batch), rows, n, model->config.pooling == HL_POOLING_LAST);
    hl_tape_scope(tape, before);
    return hl_output_layer_forward(tape, &model->output, x, rows, first_row(batch));
}

hl_tensor *hl_model_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, const hl_head_probe *probes)
{
    hl_tensor *x = hl_model_layers(tape, model, batch, 0, hl_model_embed(tape, model, batch), probes);
    if (model->config.pooling != HL_POOLING_ROWS) {
        return pooled_logits(tape, model, batch, x, batch->offsets, batch->n_examples);
    }
    return hl_output_layer_forward(tape, &model->output, hl_encoder_end(tape, &model->encoder, x), NULL, 0);
}

hl_tensor *hl_model_target_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_tensor *x)
{
    if (model->config.pooling != HL_POOLING_ROWS) { /* a plan's batch may have more targets */
        bool fewer = tape->options.memory.dry && batch->n_examples < batch->n_targets;
        int64_t n = fewer ? batch->n_examples : batch->n_targets;
        return pooled_logits(tape, model, batch, x, batch->target_rows, n);
    }
    const char *before = hl_tape_scope(tape, "targets");
    x = hl_gather_rows(tape, x, batch->target_rows, first_row(batch), HL_SHAPE(batch->n_targets));
    hl_tape_scope(tape, before);
    return hl_output_layer_forward(tape, &model->output, hl_encoder_end(tape, &model->encoder, x), batch->target_rows,
                                   first_row(batch));
}

hl_tensor *hl_model_loss(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_cross_entropy_args args,
                         const hl_head_probe *probes)
{
    return hl_model_loss_from(tape, model, batch, 0, hl_model_embed(tape, model, batch), args, probes);
}

hl_tensor *hl_model_loss_from(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                              hl_cross_entropy_args args, const hl_head_probe *probes)
{
    args.targets = batch->target_ids;
    x = hl_model_layers(tape, model, batch, layer, x, probes);
    return hl_cross_entropy(tape, hl_model_target_logits(tape, model, batch, x), args);
}

size_t hl_model_position_bytes(const hl_model *model)
{
    const hl_positions_layer *positions = &model->positions;
    size_t bytes = 0;
    if (positions->kind == HL_POSITIONS_SINUSOIDAL) {
        bytes = hl_size_product((size_t)positions->max_length, (size_t)positions->d_model * sizeof(hl_real));
    }
    for (int i = 0; i < model->n_rotaries; i++) {
        bytes = hl_size_sum(bytes, hl_rotary_bytes(&model->rotaries[i]));
    }
    return bytes;
}

size_t hl_model_record_bytes(const hl_model *model)
{
    /* A layer records about 25 ops of less than 1 KiB each. */
    return ((size_t)model->encoder.n_layers + 1) * 64 * 1024;
}

typedef struct planned {
    const hl_model *model;
    const hl_batch *batch;
} planned;

static hl_status record_loss(hl_tape *tape, void *context)
{
    const planned *p = context;
    hl_tensor *loss = hl_model_loss(tape, p->model, p->batch, (hl_cross_entropy_args){ 0 }, NULL);
    return tape->options.gradients ? hl_tape_backward(tape, loss) : hl_tape_status(tape);
}

hl_status hl_model_plan(const hl_model *model, const hl_batch *largest, hl_tape_options options, hl_tape_plan *plan)
{
    return hl_tape_plan_pass(hl_model_record_bytes(model), options, record_loss, &(planned){ model, largest }, plan);
}
