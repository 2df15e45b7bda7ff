#include "programs/train/graph.h"

#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/scratch.h"
#include "tests/train/summary_example.h"

#include <math.h>

/* The first row of that module and text, "" outside of all modules; the test fails where there is none. */
static const hl_graph_row *find_row(const hl_graph *graph, const char *module, const char *what)
{
    for (int i = 0; i < graph->n; i++) {
        if (strcmp(graph->rows[i].module, module) == 0 && strcmp(graph->rows[i].what, what) == 0) {
            return &graph->rows[i];
        }
    }
    ck_abort_msg("no row \"%s\" in \"%s\"", what, module);
}

static void assert_shape(const hl_graph *graph, const char *module, const char *what, const char *expected)
{
    char text[HL_SHAPE_TEXT];
    ck_assert_str_eq(hl_shape_text(find_row(graph, module, what)->shape, text), expected);
}

static int count_rows(const hl_graph *graph, const char *what)
{
    int n = 0;
    for (int i = 0; i < graph->n; i++) {
        n += strcmp(graph->rows[i].what, what) == 0;
    }
    return n;
}

TEST(published_models_have_their_parameters)
{
    static const struct {
        const char *config, *module;
        int64_t parameters;
    } cases[] = {
        { "shapes/transformer_base.ini", "encoder.layers", 18914304 },
        { "shapes/bert_base.ini", "encoder.layers", 85054464 },
        { "shapes/bert_base.ini", "encoder.layers.11", 7087872 },
        { "shapes/bert_base.ini", "encoder.layers.1", 7087872 },
        { "shapes/bert_base.ini", "", 109514298 },
        { "shapes/bert_large.ini", "encoder.layers", 302309376 },
        { "shapes/bert_large.ini", "", 335174458 },
        { "shapes/gpt2_small.ini", "encoder.layers", 85054464 },
        { "shapes/gpt2_small.ini", "", 124439808 },
        { "shapes/gpt3.ini", "encoder.layers.95", INT64_C(12) * 12288 * 12288 + 13 * 12288 },
        { "shapes/gpt3.ini", "", INT64_C(174604259328) },
        { "shapes/llama2_7b_attention.ini", "encoder.layers.0.self_attn", INT64_C(4) * 4096 * 4096 },
        { "shapes/llama2_7b_attention.ini", "output", INT64_C(32000) * 4096 },
    };
    static summary_example example;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        summary_example_load(cases[i].config, &example);
        ck_assert_int_eq(hl_graph_parameters(&example.graph, cases[i].module), cases[i].parameters);
        summary_example_free(&example);
    }
}

/* What the formulas in the summary say, summed over the layers; forward is a third. */
static double formula(const hl_config *config, hl_graph_part part)
{
    const hl_model_config *m = &config->model;
    double N = (double)(config->train.batch_size * config->sizes.longest), T = (double)config->sizes.longest;
    double D = (double)m->d_model, flops = 0, M = (double)(config->train.batch_size * config->sizes.answers);
    double E = m->embedding_size > 0 ? (double)m->embedding_size : D;
    bool transforms = m->head == HL_HEAD_TRANSFORM;
    switch (part) {
    case HL_GRAPH_EMBEDDING:
        return E == D ? 0 : 6 * N * E * D;
    case HL_GRAPH_POOLER:
        return 0;
    case HL_GRAPH_TRANSFORM:
        return transforms ? 6 * M * D * E : 0;
    case HL_GRAPH_OUTPUT:
        return 6 * M * (transforms ? E : D) * (double)config->sizes.targets;
    default:
        break;
    }
    for (int64_t l = 0; l < m->n_layers; l++) {
        bool near = m->window > 0 && !(m->global_every > 0 && l % m->global_every == 0);
        double keys = near ? fmin(T, m->causal ? (double)m->window : 1 + 2 * floor((double)m->window / 2)) : T;
        double H = (double)m->heads[l], Hkv = (double)m->kv_heads[l], Dk = (double)m->d_k[l], Dv = (double)m->d_v[l];
        flops += part == HL_GRAPH_PROJECTIONS ? 6 * N * D * (H * Dk + Hkv * Dk + Hkv * Dv + H * Dv)
                 : part == HL_GRAPH_ATTENTION ? 6 * N * keys * H * (Dk + Dv)
                 : m->feed_forward == HL_FEED_FORWARD_NONE
                     ? 0
                     : (m->feed_forward == HL_FEED_FORWARD_GATED ? 18 : 12) * N * D * (double)m->d_ff;
    }
    return flops;
}

static void assert_sums(const summary_example *example)
{
    const hl_config *config = &example->config;
    ck_assert_int_eq(hl_graph_parameters(&example->graph, ""), hl_parameters_count(&example->model.parameters));
    double all = 0;
    for (int part = 0; part < HL_GRAPH_PARTS; part++) {
        double flops = 3 * (double)config->optimizer.accumulate * hl_graph_flops(&example->graph, (hl_graph_part)part);
        ck_assert(fabs(flops - formula(config, (hl_graph_part)part)) <= 1e-12 * flops);
        all += flops;
    }
    ck_assert_double_gt(all, 0);
    ck_assert_double_eq_tol(all, example->footprint.flops, 1e-12 * all);
}

/* Rows account for every parameter and every operation of the whole, in models of all kinds. */
TEST(rows_add_up)
{
    static const char *const texts[] = {
        "[model]\nlayers = 3\nheads = 4, 2, 8\n",
        "[model]\nheads = 4\nkv_heads = 2\n",
        "[model]\nheads = 4\nkv_heads = 1\nd_k = 5\nd_v = 7\n",
        "[model]\nnorm = post\npositions = learned\nmax_length = 50\n",
        "[model]\nbias = false\n",
        "[model]\nbias = false\nheads = 4\nd_k = 3\npositions = none\n",
        "[model]\ntie_embedding = true\n",
        "[model]\nlayers = 1\ndropout = 0.1\ndropout_concat = 0.1\ndropout_embedding = 0.1\nactivation = gelu\n",
        "[model]\nembedding_size = 16\nembedding_norm = true\n",
        "[model]\nnorm_kind = rms\nembedding_norm = true\n",
        "[model]\nfeed_forward = gated\nactivation = silu\nd_ff = 37\ndropout = 0.1\n",
        "[model]\nhead = transform\nactivation = gelu_tanh\nnorm = post\ndropout_output = 0.1\n",
        ("[model]\npositions = learned\nposition_offset = 2\nhead = transform\n"
         "tie_embedding = true\nembedding_size = 80\ntoken_types = 2\n"),
        ("[model]\nlayers = 4\nwindow = 5\nglobal_every = 3\nfirst_norm = false\n"
         "norm_bias = false\nattention_bias = false\n"),
        "[model]\nwindow = 3\ncausal = true\nbias = false\nnorm_bias = true\n",
        "[optimizer]\naccumulate = 4\n",
    };
    static summary_example example;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        summary_example_parse(texts[i], &example);
        assert_sums(&example);
        summary_example_free(&example);
    }
    const char *names[SUMMARY_MOST_CONFIGS];
    int n = summary_configs(names);
    for (int i = 0; i < n; i++) {
        summary_example_load(names[i], &example);
        assert_sums(&example);
        summary_example_free(&example);
    }
}

TEST(heads_have_their_shapes)
{
    static summary_example example;
    summary_example_parse("[task]\nlength = 4\n[model]\nheads = 4, 6\nkv_heads = 2, 3\nd_model = 12\nd_k = 5\nd_v = 7\n"
                          "[train]\nbatch_size = 8\n",
                          &example);
    const hl_graph *graph = &example.graph;
    const char *first = "encoder.layers.0.self_attn", *second = "encoder.layers.1.self_attn";
    assert_shape(graph, "", "tokens (B, T)", "(8, 9)");
    assert_shape(graph, first, "linear W_Q", "(72, 20)");
    assert_shape(graph, first, "linear W_K", "(72, 10)");
    assert_shape(graph, first, "linear W_V", "(72, 14)");
    assert_shape(graph, first, "q (B, H, T, Dk)", "(8, 4, 9, 5)");
    assert_shape(graph, first, "k (B, Hkv, T, Dk)", "(8, 2, 9, 5)");
    assert_shape(graph, first, "v (B, Hkv, T, Dv)", "(8, 2, 9, 7)");
    assert_shape(graph, first, "weights (B, H, T, T)", "(8, 4, 9, 9)");
    assert_shape(graph, first, "z (B, H, T, Dv)", "(8, 4, 9, 7)");
    assert_shape(graph, first, "heads side by side", "(72, 28)");
    assert_shape(graph, second, "q (B, H, T, Dk)", "(8, 6, 9, 5)");
    assert_shape(graph, second, "k (B, Hkv, T, Dk)", "(8, 3, 9, 5)");
    assert_shape(graph, "encoder.layers.1.self_attn.out_proj", "linear W_O", "(72, 12)");
    ck_assert_int_eq(find_row(graph, first, "linear W_Q")->parameters, 20 * 12 + 20);
    ck_assert_int_eq(find_row(graph, first, "linear W_V")->parameters, 14 * 12 + 14);
    ck_assert_int_eq(count_rows(graph, "linear W_Q, W_K, W_V"), 0);
    summary_example_free(&example);
}

TEST(layers_hold_their_sums)
{
    static const char *const norms[] = { "pre", "post" };
    static summary_example example;
    for (int i = 0; i < 2; i++) {
        const char *text = scratch_format("[model]\nlayers = 2\nnorm = %s\n", norms[i]);
        summary_example_parse(text, &example);
        int sums[2] = { 0, 0 }, activations[2] = { 0, 0 };
        for (int row = 0; row < example.graph.n; row++) {
            const hl_graph_row *r = &example.graph.rows[row];
            if (strcmp(r->what, "residual sum") == 0) {
                ck_assert(r->layer == 0 || r->layer == 1);
                sums[r->layer]++;
            } else if (strcmp(r->what, "relu") == 0) {
                activations[r->layer]++;
            }
        }
        ck_assert(sums[0] == 2 && sums[1] == 2 && activations[0] == 1 && activations[1] == 1);
        ck_assert_int_eq(find_row(&example.graph, "output", "logits")->layer, -1);
        ck_assert_int_eq(find_row(&example.graph, "", "loss (cross-entropy)")->layer, -1);
        ck_assert_int_eq(hl_graph_parameters(&example.graph, "encoder.norm"), i == 0 ? 2 * 64 : 0);
        summary_example_free(&example);
    }
}

TEST(tied_matrix_counts_once)
{
    static summary_example example;
    summary_example_parse("[task]\nsymbols = 7\n[model]\nd_model = 8\nheads = 2\ntie_embedding = true\n", &example);
    ck_assert_int_eq(hl_graph_parameters(&example.graph, "embedding"), 10 * 8);
    ck_assert_int_eq(hl_graph_parameters(&example.graph, "output"), 0);
    assert_shape(&example.graph, "output", "logits (tied matrix)", "(1344, 10)");
    summary_example_free(&example);
}

TEST(what_is_before_and_behind_the_encoder_has_rows)
{
    static summary_example example;
    summary_example_parse("[task]\nlength = 4\nsymbols = 7\n[model]\nd_model = 8\nheads = 2\nembedding_size = 6\n"
                          "embedding_norm = true\npositions = learned\nposition_offset = 2\nhead = transform\n"
                          "activation = quick_gelu\ntie_embedding = true\n[train]\nbatch_size = 4\n",
                          &example);
    const hl_graph *graph = &example.graph;
    assert_shape(graph, "embedding", "embedding", "(36, 6)");
    assert_shape(graph, "embedding_norm", "layer norm", "(36, 6)");
    assert_shape(graph, "embedding_projection", "linear", "(36, 8)");
    assert_shape(graph, "head.dense", "linear", "(36, 6)");
    assert_shape(graph, "head.dense", "quick_gelu", "(36, 6)");
    assert_shape(graph, "head.norm", "layer norm", "(36, 6)");
    assert_shape(graph, "output", "logits (tied matrix)", "(36, 10)");
    ck_assert_int_eq(hl_graph_parameters(graph, "positions"), (9 + 2) * 6);
    ck_assert_int_eq(hl_graph_parameters(graph, "head"), 8 * 6 + 6 + 2 * 6);
    ck_assert_int_eq(hl_graph_parameters(graph, "output"), 10);
    summary_example_free(&example);
}

TEST(too_long_is_refused)
{
    static summary_example example;
    summary_example_parse("", &example);
    hl_graph graph;
    message_check(hl_graph_read(&graph, &example.model,
                                &(hl_batch){ .n_examples = 64, .n_rows = 64 * 22, .longest = 22, .n_targets = 1 }),
                  HL_INVALID, "train.embedding_in_embedding_22_positions_of");
    ck_assert(graph.rows == NULL && graph.n == 0);
    hl_graph_free(&graph);
    summary_example_free(&example);
}

SUITE("graph")
