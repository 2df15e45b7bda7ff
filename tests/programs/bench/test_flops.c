#include "programs/bench/flops.h"
#include "programs/bench/job.h"
#include "programs/bench/runs.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/trainer_example.h"
#include "train/setup.h"

/* What the peer's script counts, from the sizes of its table. */
static const struct {
    const char *name;
    int64_t B, T, D, H, L, F, V;
    double flops;
} workloads[] = {
    { "tiny", 16, 10, 32, 4, 1, 64, 16, 8970240 },
    { "copy", 64, 32, 64, 4, 2, 256, 32, 1333788672 },
    { "small", 32, 64, 128, 8, 4, 512, 256, 10871635968 },
    { "base", 16, 64, 512, 8, 6, 2048, 1000, 121525764096 },
    { "long", 4, 512, 256, 8, 4, 1024, 256, 52344913920 },
    { "t1024", 4, 1024, 256, 8, 4, 1024, 256, 130459631616 },
    { "t2048", 2, 2048, 256, 8, 4, 1024, 256, 181999239168 },
    { "t4096", 1, 4096, 256, 8, 4, 1024, 256, 285078454272 },
    { "gpt2", 4, 64, 768, 12, 12, 3072, 50257, 191557140480 },
    { "modernbert", 4, 512, 768, 12, 22, 1152, 50368, 1949306978304 },
};

static hl_config load_shipped(const char *name)
{
    const char *path = scratch_format("%s/bench/%s.ini", HL_CONFIGS, name);
    hl_bench_job job = { .config.path = path };
    hl_config config;
    CHECK_OK(hl_bench_job_config(&job, NULL, &config));
    return config;
}

TEST(the_shipped_workloads_have_the_sizes_of_the_peers)
{
    ck_assert_uint_eq(sizeof workloads / sizeof *workloads, HL_BENCH_SHIPPED);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        const char *path = scratch_format("bench/%s.ini", workloads[i].name);
        ck_assert_str_eq(hl_bench_shipped[i], path);
        ck_assert_ptr_nonnull(strstr(hl_bench_help_usage, workloads[i].name));
        hl_config config = load_shipped(workloads[i].name);
        hl_task_spec spec = hl_config_task_spec(&config);
        ck_assert_str_eq(spec.name, "identity_copy");
        ck_assert_int_eq(config.train.batch_size, workloads[i].B);
        ck_assert_int_eq(hl_task_sizes_of(&spec).longest, workloads[i].T);
        ck_assert_int_eq(spec.min_length, spec.length);
        ck_assert_int_eq(config.task.symbols + HL_SPECIAL_TOKENS, workloads[i].V);
        ck_assert_int_eq(config.model.n_layers, workloads[i].L);
        ck_assert_int_eq(config.model.d_model, workloads[i].D);
        ck_assert_int_eq(config.model.d_ff, workloads[i].F);
        for (int64_t l = 0; l < workloads[i].L; l++) {
            ck_assert_int_eq(config.model.heads[l], workloads[i].H);
            ck_assert_int_eq(config.model.kv_heads[l], workloads[i].H);
        }
        ck_assert_int_eq(config.model.norm, HL_NORM_PRE);
        bool gpt2 = strcmp(workloads[i].name, "gpt2") == 0, modern = strcmp(workloads[i].name, "modernbert") == 0;
        bool open = gpt2 || modern; /* the others are the paper's encoder */
        ck_assert_int_eq(config.model.activation, gpt2 ? HL_GELU_TANH : modern ? HL_GELU : HL_RELU);
        ck_assert_int_eq(config.model.positions, gpt2     ? HL_POSITIONS_LEARNED
                                                 : modern ? HL_POSITIONS_ROTARY
                                                          : HL_POSITIONS_SINUSOIDAL);
        ck_assert_int_eq(config.model.max_length, gpt2 ? 1024 : workloads[i].T);
        ck_assert(config.model.causal == gpt2 && config.model.tie_embedding == open);
        ck_assert(!config.model.tied_bias && config.model.unscaled_embedding == open);
        ck_assert(config.model.window == (modern ? 128 : 0) && config.model.global_every == (modern ? 3 : 0));
        double dropout = open ? 0 : 0.1;
        ck_assert_double_eq(config.model.dropout_attention, dropout);
        ck_assert_double_eq(config.model.dropout_residual, dropout);
        ck_assert_double_eq(config.model.dropout_ffn, dropout);
        ck_assert_int_eq(config.optimizer.update.name, HL_ADAM);
        ck_assert_double_eq(config.optimizer.clip_norm, 0);
        ck_assert_int_eq(config.optimizer.accumulate, 1);
    }
}

/* What the ops of a dry pass count. */
static double flops_of_tape(const hl_config *config)
{
    hl_model_config model_config = hl_setup_model(config);
    hl_model model;
    size_t bytes;
    double flops;
    CHECK_OK(hl_model_init(&model, &model_config));
    CHECK_OK(hl_trainer_plan(&model, config, 1, &bytes, &flops));
    hl_model_free(&model);
    return flops;
}

/* What the formula says, what the peer's script says, and what the ops of a dry pass say is the same. */
TEST(formula_script_and_tape_agree)
{
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        hl_config config = load_shipped(workloads[i].name);
        ck_assert_double_eq(hl_bench_config_flops(&config), workloads[i].flops);
        ck_assert_double_eq(flops_of_tape(&config), workloads[i].flops);
    }
}

/* A pooler reads one row of each text, forward and twice as much backward. */
TEST(a_pooler_counts_once_for_each_text)
{
    hl_config with, without;
    config_parse("[task]\nname = classes\n[model]\nd_model = 24\nheads = 2\npooler = tanh\n", &with);
    config_parse("[task]\nname = classes\n[model]\nd_model = 24\nheads = 2\n", &without);
    ck_assert_double_eq(hl_bench_flops(&with, 5, 7) - hl_bench_flops(&without, 5, 7), 3 * 5 * 2 * 24 * 24);
}

#define WIDTHS(feed_forward)                                                                                        \
    "[task]\nlength = 5\n[model]\nd_model = 24\nheads = 3, 4\nkv_heads = 3, 2\nd_k = 5, 6\nd_v = 7, 2\nd_ff = 40\n" \
    "feed_forward = " feed_forward "\n[optimizer]\naccumulate = 2\n[train]\nbatch_size = 6\n"

/* Two layers of different heads, of widths that are not d_model / heads, the second with shared key/value heads. */
LOOP_TEST(free_widths_count_as_the_tape_counts_them, 0, 2)
{
    bool gated = _i == 1;
    hl_config config;
    config_parse(gated ? WIDTHS("gated") : WIDTHS("usual"), &config);
    double T = 11, D = 24, V = 19;
    double layers = 2 * D * (3 + 3) * (5 + 7) + 2 * T * 3 * (5 + 7) + 2 * D * (4 + 2) * (6 + 2) + 2 * T * 4 * (6 + 2);
    double expected = 3 * 6 * T * (layers + 2 * (gated ? 6 : 4) * D * 40 + 2 * D * V);
    ck_assert_double_eq(hl_bench_config_flops(&config), expected);
    ck_assert_double_eq(flops_of_tape(&config), expected);
    ck_assert_double_eq(hl_bench_flops(&config, 1, 11), expected / 6);
}

TEST(what_is_before_and_behind_the_encoder_counts_as_the_tape_counts_it)
{
    static const char *const ends[] = {
        "embedding_size = 16\n",
        "head = transform\n",
        "embedding_size = 40\nhead = transform\ntie_embedding = true\nembedding_norm = true\n",
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[256];
        hl_config config;
        snprintf(text, sizeof text, "[task]\nlength = 5\n[model]\nd_model = 24\n%s", ends[i]);
        config_parse(text, &config);
        ck_assert_double_eq(hl_bench_config_flops(&config), flops_of_tape(&config));
    }
}

TEST(activations_have_a_linear_and_a_square_term)
{
    hl_config config = load_shipped("copy");
    double numbers = 64 * 32 * (2 * (8 * 64 + 256 + 4 * 32) + 2 * 32);
    ck_assert_double_eq(hl_bench_config_activations(&config), numbers);
    config.optimizer.accumulate = 2;
    ck_assert_double_eq(hl_bench_config_activations(&config), numbers / 2);
    config.attention = HL_ATTENTION_RECOMPUTE;
    ck_assert_double_eq(hl_bench_config_activations(&config), 32 * 32 * (2 * (8 * 64 + 256) + 2 * 32));
    config.attention = HL_ATTENTION_AUTO;
    config.sizes.longest = 1024;
    ck_assert_double_eq(hl_bench_config_activations(&config), 32 * 1024 * (2 * (8 * 64 + 256) + 2 * 32));
}

SUITE("bench flops")
