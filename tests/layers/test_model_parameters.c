/* The parameters of a model: names, shapes and counts as PyTorch has them, and their initial values. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct expected {
    const char *name;
    int64_t rows, columns; /* columns 0: of one dimension */
} expected;

static void assert_parameter(const hl_parameter *parameter, const expected *e)
{
    ck_assert_str_eq(parameter->name, e->name);
    hl_shape shape = e->columns > 0 ? HL_SHAPE(e->rows, e->columns) : HL_SHAPE(e->rows);
    char text[HL_SHAPE_TEXT];
    ck_assert_msg(hl_shape_equal(parameter->tensor->shape, shape), "%s is %s", e->name,
                  hl_shape_text(parameter->tensor->shape, text));
    /* AdamW decays matrices, not biases and norms. */
    ck_assert_msg(parameter->decay == (e->columns > 0), "%s", e->name);
}

static void assert_parameters(const hl_model_config *config, const expected *list, int n)
{
    hl_model *model = example_made(config);
    for (int i = 0; i < n && i < model->parameters.n; i++) {
        assert_parameter(&model->parameters.list[i], &list[i]);
    }
    ck_assert_int_eq(model->parameters.n, n);
    ck_assert_int_eq(model->parameters.n_aliases, config->tie_embedding);
    ck_assert_ptr_null(model->parameters.values);
}

static hl_model_config one_layer(void)
{
    hl_model_config config = example_config();
    config.n_layers = 1;
    return config;
}

TEST(packed)
{
    static const expected list[] = {
        { "embedding.weight", 7, 6 },
        { "encoder.layers.0.self_attn.in_proj_weight", 18, 6 },
        { "encoder.layers.0.self_attn.in_proj_bias", 18, 0 },
        { "encoder.layers.0.self_attn.out_proj.weight", 6, 6 },
        { "encoder.layers.0.self_attn.out_proj.bias", 6, 0 },
        { "encoder.layers.0.linear1.weight", 5, 6 },
        { "encoder.layers.0.linear1.bias", 5, 0 },
        { "encoder.layers.0.linear2.weight", 6, 5 },
        { "encoder.layers.0.linear2.bias", 6, 0 },
        { "encoder.layers.0.norm1.weight", 6, 0 },
        { "encoder.layers.0.norm1.bias", 6, 0 },
        { "encoder.layers.0.norm2.weight", 6, 0 },
        { "encoder.layers.0.norm2.bias", 6, 0 },
        { "output.weight", 7, 6 },
        { "output.bias", 7, 0 },
    };
    hl_model_config config = one_layer();
    assert_parameters(&config, list, ROWS(list));
}

/* Four query heads, two key/value heads, Dk 3, Dv 2; pre-norm; learned positions. */
TEST(unpacked)
{
    static const expected list[] = {
        { "embedding.weight", 7, 6 },
        { "positions.weight", 9, 6 },
        { "encoder.layers.0.self_attn.q_proj_weight", 12, 6 },
        { "encoder.layers.0.self_attn.k_proj_weight", 6, 6 },
        { "encoder.layers.0.self_attn.v_proj_weight", 4, 6 },
        { "encoder.layers.0.self_attn.in_proj_bias", 22, 0 },
        { "encoder.layers.0.self_attn.out_proj.weight", 6, 8 },
        { "encoder.layers.0.self_attn.out_proj.bias", 6, 0 },
        { "encoder.layers.0.linear1.weight", 5, 6 },
        { "encoder.layers.0.linear1.bias", 5, 0 },
        { "encoder.layers.0.linear2.weight", 6, 5 },
        { "encoder.layers.0.linear2.bias", 6, 0 },
        { "encoder.layers.0.norm1.weight", 6, 0 },
        { "encoder.layers.0.norm1.bias", 6, 0 },
        { "encoder.layers.0.norm2.weight", 6, 0 },
        { "encoder.layers.0.norm2.bias", 6, 0 },
        { "encoder.norm.weight", 6, 0 },
        { "encoder.norm.bias", 6, 0 },
        { "output.weight", 7, 6 },
        { "output.bias", 7, 0 },
    };
    hl_model_config config = one_layer();
    config.norm = HL_NORM_PRE;
    config.positions = HL_POSITIONS_LEARNED;
    example_heads(&config, 0, 4, 2, 3, 2);
    assert_parameters(&config, list, ROWS(list));
}

TEST(without_biases)
{
    static const expected list[] = {
        { "embedding.weight", 7, 6 },
        { "encoder.layers.0.self_attn.in_proj_weight", 18, 6 },
        { "encoder.layers.0.self_attn.out_proj.weight", 6, 6 },
        { "encoder.layers.0.linear1.weight", 5, 6 },
        { "encoder.layers.0.linear2.weight", 6, 5 },
        { "encoder.layers.0.norm1.weight", 6, 0 },
        { "encoder.layers.0.norm2.weight", 6, 0 },
        { "encoder.norm.weight", 6, 0 },
        { "output.weight", 7, 6 },
    };
    hl_model_config config = one_layer();
    config.norm = HL_NORM_PRE;
    config.positions = HL_POSITIONS_NONE;
    config.bias = false;
    assert_parameters(&config, list, ROWS(list));
}

/* The output layer is the embedding's matrix under a second name, without a bias. */
TEST(tied)
{
    static const expected list[] = {
        { "embedding.weight", 7, 6 },
        { "encoder.layers.0.self_attn.in_proj_weight", 18, 6 },
        { "encoder.layers.0.self_attn.out_proj.weight", 6, 6 },
        { "encoder.layers.0.linear1.weight", 5, 6 },
        { "encoder.layers.0.linear2.weight", 6, 5 },
        { "encoder.layers.0.norm1.weight", 6, 0 },
        { "encoder.layers.0.norm2.weight", 6, 0 },
    };
    hl_model_config config = one_layer();
    config.tie_embedding = true;
    config.bias = false;
    assert_parameters(&config, list, ROWS(list));
    config.bias = true;
    hl_model *model = example_made(&config);
    ck_assert_ptr_null(hl_parameters_find(&model->parameters, "output.bias"));
    ck_assert_ptr_eq(hl_parameters_find(&model->parameters, "output.weight")->tensor, model->embedding.weight);
    ck_assert_ptr_eq(model->output.linear.weight, model->embedding.weight);
}

TEST(tied_with_a_bias_and_typed)
{
    static const expected list[] = {
        { "embedding.weight", 7, 6 },
        { "token_types.weight", 2, 6 },
        { "positions.weight", 9, 6 },
        { "encoder.layers.0.self_attn.in_proj_weight", 18, 6 },
        { "encoder.layers.0.self_attn.out_proj.weight", 6, 6 },
        { "encoder.layers.0.linear1.weight", 5, 6 },
        { "encoder.layers.0.linear2.weight", 6, 5 },
        { "encoder.layers.0.norm1.weight", 6, 0 },
        { "encoder.layers.0.norm2.weight", 6, 0 },
        { "output.bias", 7, 0 },
    };
    hl_model_config config = one_layer();
    config.token_types = 2;
    config.positions = HL_POSITIONS_LEARNED;
    config.tie_embedding = config.tied_bias = true;
    config.bias = false;
    assert_parameters(&config, list, ROWS(list));
}

TEST(of_a_masked_model)
{
    static const expected list[] = {
        { "embedding.weight", 7, 4 },
        { "token_types.weight", 2, 4 },
        { "positions.weight", 11, 4 },
        { "embedding_norm.weight", 4, 0 },
        { "embedding_norm.bias", 4, 0 },
        { "embedding_projection.weight", 6, 4 },
        { "embedding_projection.bias", 6, 0 },
        { "encoder.layers.0.self_attn.in_proj_weight", 18, 6 },
        { "encoder.layers.0.self_attn.in_proj_bias", 18, 0 },
        { "encoder.layers.0.self_attn.out_proj.weight", 6, 6 },
        { "encoder.layers.0.self_attn.out_proj.bias", 6, 0 },
        { "encoder.layers.0.linear1.weight", 5, 6 },
        { "encoder.layers.0.linear1.bias", 5, 0 },
        { "encoder.layers.0.linear2.weight", 6, 5 },
        { "encoder.layers.0.linear2.bias", 6, 0 },
        { "encoder.layers.0.norm1.weight", 6, 0 },
        { "encoder.layers.0.norm1.bias", 6, 0 },
        { "encoder.layers.0.norm2.weight", 6, 0 },
        { "encoder.layers.0.norm2.bias", 6, 0 },
        { "head.dense.weight", 4, 6 },
        { "head.dense.bias", 4, 0 },
        { "head.norm.weight", 4, 0 },
        { "head.norm.bias", 4, 0 },
        { "head.bias", 7, 0 },
    };
    hl_model_config config = one_layer();
    config.token_types = config.position_offset = 2;
    config.positions = HL_POSITIONS_LEARNED;
    config.embedding_norm = config.tie_embedding = true;
    config.embedding_size = 4;
    config.head = HL_HEAD_TRANSFORM;
    assert_parameters(&config, list, ROWS(list));
}

TEST(of_a_classifier_and_of_a_head_with_a_matrix_of_its_own)
{
    static const expected last[][4] = {
        { { "pooler.dense.weight", 6, 6 },
          { "pooler.dense.bias", 6, 0 },
          { "output.weight", 3, 6 },
          { "output.bias", 3, 0 } },
        { { "head.norm.weight", 6, 0 }, { "head.norm.bias", 6, 0 }, { "output.weight", 3, 6 }, { "head.bias", 3, 0 } },
    };
    for (int i = 0; i < 2; i++) {
        hl_model_config config = one_layer();
        config.targets = 3;
        config.pooler = i == 0 ? HL_POOLER_TANH : HL_POOLER_NONE;
        config.head = i == 0 ? HL_HEAD_LINEAR : HL_HEAD_TRANSFORM;
        hl_model *model = example_made(&config);
        for (int k = 0; k < 4; k++) {
            assert_parameter(&model->parameters.list[model->parameters.n - 4 + k], &last[i][k]);
        }
    }
}

/* A size short of `heads` * width = d_model in one place alone is no longer packed. */
LOOP_TEST(packed_only_where_all_widths_fit, 0, 5)
{
    static const int64_t heads[][4] = {
        { 2, 2, 3, 3 }, { 2, 2, 3, 2 }, { 2, 2, 2, 3 }, { 2, 1, 3, 3 }, { 3, 3, 3, 3 }
    };
    hl_model_config config = one_layer();
    example_heads(&config, 0, heads[_i][0], heads[_i][1], heads[_i][2], heads[_i][3]);
    hl_model *model = example_made(&config);
    ck_assert_int_eq(model->encoder.layers[0].self_attn.in_proj_weight != NULL, _i == 0);
    ck_assert_int_eq(model->encoder.layers[0].self_attn.q_proj_weight == NULL, _i == 0);
}

/* Every field of the heads is the layer's own. */
TEST(layers_have_heads_of_their_own)
{
    hl_model_config config = example_config();
    example_heads(&config, 0, 4, 2, 3, 5);
    example_heads(&config, 1, 6, 3, 1, 2);
    hl_model *model = example_made(&config);
    for (int l = 0; l < 2; l++) {
        const hl_multi_head *heads = &model->encoder.layers[l].self_attn;
        ck_assert(hl_shape_equal(heads->q_proj_weight->shape, HL_SHAPE(config.heads[l] * config.d_k[l], 6)));
        ck_assert(hl_shape_equal(heads->k_proj_weight->shape, HL_SHAPE(config.kv_heads[l] * config.d_k[l], 6)));
        ck_assert(hl_shape_equal(heads->v_proj_weight->shape, HL_SHAPE(config.kv_heads[l] * config.d_v[l], 6)));
        ck_assert(hl_shape_equal(heads->out_proj.weight->shape, HL_SHAPE(6, config.heads[l] * config.d_v[l])));
        ck_assert_int_eq(heads->config.n_heads, config.heads[l]);
    }
}

static hl_model_config published(int n_layers, int64_t d_model, int64_t heads, int64_t vocabulary, int64_t max_length)
{
    hl_model_config config = { .n_layers = n_layers,
                               .d_model = d_model,
                               .d_ff = 4 * d_model,
                               .vocabulary = vocabulary,
                               .max_length = max_length,
                               .norm = HL_NORM_POST,
                               .positions = HL_POSITIONS_SINUSOIDAL,
                               .bias = true };
    hl_model_config_heads(&config, heads);
    return config;
}

static int64_t count_of(const hl_model_config *config, const char *prefix)
{
    hl_model *model = example_made(config);
    int64_t count = 0;
    for (int p = 0; p < model->parameters.n; p++) {
        const hl_parameter *parameter = &model->parameters.list[p];
        count += strncmp(parameter->name, prefix, strlen(prefix)) == 0 ? parameter->count : 0;
    }
    if (*prefix == '\0') {
        ck_assert_int_eq(count, hl_parameters_count(&model->parameters));
    }
    return count;
}

TEST(published_models_have_their_counts)
{
    hl_model_config base = published(6, 512, 8, 37000, 512), bert = published(12, 768, 12, 30522, 512);
    hl_model_config gpt2 = published(12, 768, 12, 50257, 1024);
    gpt2.norm = HL_NORM_PRE;
    gpt2.positions = HL_POSITIONS_LEARNED;
    gpt2.causal = gpt2.tie_embedding = true;
    ck_assert_int_eq(count_of(&base, "encoder.layers."), 18914304);
    ck_assert_int_eq(count_of(&bert, "encoder.layers."), 85054464);
    ck_assert_int_eq(count_of(&gpt2, "encoder.layers."), 85054464);
    ck_assert_int_eq(count_of(&gpt2, ""), 124439808);
    bert.positions = HL_POSITIONS_LEARNED;
    bert.token_types = 2;
    bert.embedding_norm = bert.tie_embedding = true;
    bert.head = HL_HEAD_TRANSFORM;
    hl_model_config roberta = bert, classifier = bert;
    ck_assert_int_eq(count_of(&bert, ""), 109514298);
    roberta.vocabulary = 50265;
    roberta.position_offset = 2;
    roberta.token_types = 1;
    ck_assert_int_eq(count_of(&roberta, ""), 124697433);
    classifier.tie_embedding = false;
    classifier.head = HL_HEAD_LINEAR;
    classifier.pooler = HL_POOLER_TANH;
    classifier.targets = 2;
    ck_assert_int_eq(count_of(&classifier, ""), 109483778);
}

static hl_model *drawn(const hl_model_config *config, uint64_t seed)
{
    hl_model *model = example_made(config);
    CHECK_OK(hl_model_allocate(model, seed));
    return model;
}

static bool is_drawn(const hl_parameter *parameter)
{
    return parameter->init != HL_INIT_ZERO && parameter->init != HL_INIT_ONE;
}

static bool same_values(const hl_parameter *a, const hl_parameter *b)
{
    ck_assert_int_eq(a->count, b->count);
    return memcmp(a->tensor->data, b->tensor->data, (size_t)a->count * sizeof(hl_real)) == 0;
}

TEST(each_layer_has_initial_values_of_its_own)
{
    hl_model_config config = example_config();
    hl_model *model = drawn(&config, 5);
    int compared = 0;
    for (int p = 0; p < model->parameters.n; p++) {
        const hl_parameter *first = &model->parameters.list[p];
        const char *rest = first->name + strlen("encoder.layers.0");
        if (strncmp(first->name, "encoder.layers.0", strlen("encoder.layers.0")) != 0 || !is_drawn(first)) {
            continue;
        }
        const hl_parameter *second =
            hl_parameters_find(&model->parameters, hl_name_of("encoder.layers.1%s", rest).text);
        ck_assert_ptr_nonnull(second);
        ck_assert_msg(!same_values(first, second), "%s", first->name);
        compared++;
    }
    ck_assert_int_eq(compared, 4);
}

TEST(a_model_that_is_looked_at_has_room_for_values_alone)
{
    hl_model_config config = example_config();
    for (hl_model_use use = HL_MODEL_TRAINED; use <= HL_MODEL_EVALUATED; use++) {
        hl_model *model = example_made(&config);
        CHECK_OK(hl_model_reserve(model, use));
        const hl_parameters *parameters = &model->parameters;
        ck_assert_int_eq(parameters->grads != NULL, use == HL_MODEL_TRAINED);
        for (int i = 0; i < parameters->n; i++) {
            const hl_tensor *tensor = parameters->list[i].tensor;
            ck_assert_int_eq(tensor->requires_grad, use == HL_MODEL_TRAINED);
            ck_assert_int_eq(tensor->grad != NULL, use == HL_MODEL_TRAINED);
        }
        for (int64_t i = 0; i < parameters->count; i++) { /* not drawn */
            ck_assert(parameters->values[i] == 0);
        }
    }
}

TEST(seeds_differ_and_repeat)
{
    hl_model_config config = example_config();
    config.positions = HL_POSITIONS_LEARNED;
    hl_model *five = drawn(&config, 5);
    hl_model *again = drawn(&config, 5);
    hl_model *six = drawn(&config, 6);
    for (int p = 0; p < five->parameters.n; p++) {
        const hl_parameter *parameter = &five->parameters.list[p];
        ck_assert_msg(same_values(parameter, &again->parameters.list[p]), "%s", parameter->name);
        ck_assert_msg(same_values(parameter, &six->parameters.list[p]) != is_drawn(parameter), "%s", parameter->name);
    }
}

TEST(a_further_layer_leaves_the_others_as_they_are)
{
    hl_model_config config = example_config();
    hl_model *two = drawn(&config, 5);
    config.n_layers = 3;
    hl_model *three = drawn(&config, 5);
    ck_assert_int_gt(three->parameters.n, two->parameters.n);
    for (int p = 0; p < two->parameters.n; p++) {
        const hl_parameter *parameter = &two->parameters.list[p];
        ck_assert_msg(same_values(parameter, hl_parameters_find(&three->parameters, parameter->name)), "%s",
                      parameter->name);
    }
}

/* The largest absolute value of some rows of a matrix. */
static double largest(const hl_tensor *matrix, int64_t first, int64_t n)
{
    double found = 0;
    int64_t columns = matrix->shape.size[1];
    for (int64_t i = first * columns; i < (first + n) * columns; i++) {
        found = fmax(found, fabs((double)matrix->data[i]));
    }
    return found;
}

static double deviation(const hl_tensor *x)
{
    double squares = 0;
    int64_t n = hl_shape_count(x->shape);
    for (int64_t i = 0; i < n; i++) {
        squares += (double)x->data[i] * (double)x->data[i];
    }
    return sqrt(squares / (double)n);
}

/* All that is drawn has the one deviation; what writes to the residual stream a smaller one, with Xavier's bound
 * too. */
TEST(one_deviation_for_all)
{
    hl_model_config config = example_config();
    config.d_model = config.d_ff = 48;
    hl_model_config_heads(&config, 2);
    config.positions = HL_POSITIONS_LEARNED;
    config.max_length = config.vocabulary = config.token_types = 60;
    hl_model *plain = drawn(&config, 5);
    config.scale_residual = true;
    hl_model *scaled = drawn(&config, 5);
    config.initial_std = (hl_real)0.02;
    hl_model *model = drawn(&config, 5);
    for (int p = 0; p < model->parameters.n; p++) {
        const hl_parameter *parameter = &model->parameters.list[p];
        const char *name = parameter->name;
        bool residual = strstr(name, "out_proj.weight") != NULL || strstr(name, "linear2.weight") != NULL;
        double as_before = deviation(plain->parameters.list[p].tensor),
               factor = residual ? 0.5 : 1; /* 1 / sqrt(2 * 2) */
        ck_assert_double_eq_tol(deviation(scaled->parameters.list[p].tensor), factor * as_before, 1e-6);
        if (is_drawn(parameter)) {
            ck_assert_msg(fabs(deviation(parameter->tensor) - 0.02 * factor) < 0.001 * factor, "%s: %g", name,
                          deviation(parameter->tensor));
        } else {
            ck_assert_msg(same_values(parameter, &plain->parameters.list[p]), "%s", name);
        }
    }
}

static void assert_bound(const hl_tensor *matrix, int64_t first, int64_t n, double fans)
{
    double bound = sqrt(6 / fans);
    ck_assert_double_le(largest(matrix, first, n), bound * (1 + 1e-6));
    ck_assert_double_ge(largest(matrix, first, n), bound * 0.97);
}

/* Xavier uniform, of each of the packed matrices by itself; the scaled embedding has deviation 1. */
TEST(initial_values_have_their_spread)
{
    enum { D = 48, F = 96, V = 100 };
    hl_model_config config = published(1, D, 4, V, 50);
    config.d_ff = F;
    config.positions = HL_POSITIONS_LEARNED;
    hl_model *model = drawn(&config, 1);
    const hl_encoder_layer *layer = &model->encoder.layers[0];
    for (int64_t matrix = 0; matrix < 3; matrix++) {
        assert_bound(layer->self_attn.in_proj_weight, matrix * D, D, 2 * D);
    }
    assert_bound(layer->self_attn.out_proj.weight, 0, D, 2 * D);
    assert_bound(layer->feed_forward.linear1.weight, 0, F, D + F);
    assert_bound(layer->feed_forward.linear2.weight, 0, D, D + F);
    assert_bound(model->output.linear.weight, 0, V, D + V);
    ck_assert_double_eq_tol(deviation(model->embedding.weight) * sqrt(D), 1, 0.05);
    ck_assert_double_eq_tol(deviation(model->positions.weight), 0.02, 0.001);
    for (int i = 0; i < D; i++) {
        ck_assert(layer->norm1.weight->data[i] == 1 && layer->norm2.bias->data[i] == 0);
        ck_assert(layer->self_attn.in_proj_bias->data[i] == 0);
    }
}

SUITE("parameters of a model")
