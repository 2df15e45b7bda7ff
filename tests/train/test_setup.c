#include "core/base/threads.h"
#include "core/kernels/bf16.h"
#include "data/dataset.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/pretrained/tiny.h"
#include "tests/train/config_parsing.h"
#include "train/setup.h"
#include "train/setup_pretrained.h"
#include "train/trainer.h"

#include <stdlib.h>
#include <string.h>

TEST(the_model_is_the_configs)
{
    hl_config config;
    config_parse("[task]\nsymbols = 9\n[model]\nlayers = 3\nd_model = 24\nheads = 4, 2, 6\nkv_heads = 2, 1, 3\n"
                 "d_k = 5\nd_v = 1, 2, 3\nd_ff = 7\nactivation = gelu\nnorm = post\npositions = learned\n"
                 "max_length = 50\ncausal = true\ndropout = 0.1\ndropout_attention = 0.2\ndropout_concat = 0.3\n"
                 "dropout_ffn = 0.4\ndropout_embedding = 0.5\nbias = false\ntie_embedding = true\n"
                 "scale_embedding = false\nscale_residual = true\ninitial_std = 0.25\n"
                 "norm_eps = 0.5\npooling = mean\nembedding_norm = true\nembedding_size = 7\nposition_offset = 3\n"
                 "head = transform\ndropout_output = 0.6\n",
                 &config);
    hl_model_config model = hl_setup_model(&config);
    hl_task_spec spec = hl_config_task_spec(&config);
    hl_dataset *dataset;
    CHECK_OK(hl_dataset_open(&spec, 1, &dataset));
    ck_assert_int_eq(model.vocabulary, hl_vocabulary_size(hl_dataset_vocabulary(dataset)));
    hl_dataset_free(dataset);
    hl_model_config expected = config.model;
    expected.vocabulary = expected.targets = model.vocabulary;
    expected.pooling = HL_POOLING_ROWS;
    ck_assert_mem_eq(&model, &expected, sizeof model);
    ck_assert_int_eq(model.d_model, 24);
    ck_assert_int_eq(model.positions, HL_POSITIONS_LEARNED);
    ck_assert(!model.tied_bias);
    ck_assert(model.unscaled_embedding && model.scale_residual);
    ck_assert_float_eq(model.initial_std, 0.25F);
    ck_assert_float_eq(model.norm_epsilon, 0.5F);
    ck_assert_int_eq(model.token_types, 0);
    ck_assert(model.embedding_norm && model.embedding_size == 7 && model.position_offset == 3);
    ck_assert_int_eq(model.head, HL_HEAD_TRANSFORM);
    ck_assert_int_eq(model.pooler, HL_POOLER_NONE);
    ck_assert_float_eq(model.dropout_output, 0.6F);
    config.sizes = (hl_data_sizes){ .vocabulary = 30, .targets = 4, .types = 2, .pooled = true };
    model = hl_setup_model(&config);
    ck_assert(model.vocabulary == 30 && model.targets == 4 && model.token_types == 2);
    ck_assert_int_eq(model.pooling, HL_POOLING_MEAN);
    ck_assert_float_eq(model.dropout_attention, 0.2F);
    ck_assert_float_eq(model.dropout_concat, 0.3F);
    ck_assert_float_eq(model.dropout_residual, 0.1F);
    ck_assert_float_eq(model.dropout_ffn, 0.4F);
    ck_assert_float_eq(model.dropout_embedding, 0.5F);
    config_parse("[task]\nname = classes\nfile = a\n[model]\npooler = gelu\ndropout_pooler = 0.7\ntoken_types = 3\n"
                 "activation = quick_gelu\ntie_embedding = true\ntied_bias = true\n",
                 &config);
    model = hl_setup_model(&config);
    ck_assert_int_eq(model.pooler, HL_POOLER_GELU);
    ck_assert_float_eq(model.dropout_pooler, 0.7F);
    ck_assert_int_eq(model.activation, HL_QUICK_GELU);
    ck_assert(model.tie_embedding && model.tied_bias);
    config.sizes.types = 2;
    ck_assert_int_eq(hl_setup_model(&config).token_types, 3);
}

TEST(long_examples_have_their_weights_made_again_unless_told)
{
    static const struct {
        hl_config_attention attention;
        int64_t longest;
        bool recompute;
    } rows[] = {
        { HL_ATTENTION_AUTO, 1023, false },   { HL_ATTENTION_AUTO, 1024, true },  { HL_ATTENTION_KEEP, 4096, false },
        { HL_ATTENTION_RECOMPUTE, 10, true }, { HL_ATTENTION_AUTO, 16384, true },
    };
    hl_config config;
    config_parse("", &config);
    ck_assert_int_eq(config.attention, HL_ATTENTION_AUTO);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        config.attention = rows[i].attention;
        config.sizes.longest = rows[i].longest;
        ck_assert(hl_setup_model(&config).recompute == rows[i].recompute);
    }
}

TEST(auto_is_bf16_where_that_is_to_be_had)
{
    const char *missing = hl_bf16_missing();
    hl_config config;
    config_parse("", &config);
    ck_assert_int_eq(config.train.precision, HL_PRECISION_FLOAT);
    ck_assert(!hl_setup_model(&config).bf16);
    ck_assert_ptr_null(hl_setup_resolve_precision(&config));
    ck_assert_int_eq(config.train.precision, HL_PRECISION_FLOAT);

    config.train.precision = HL_PRECISION_BF16;
    ck_assert(hl_setup_model(&config).bf16 == (missing == NULL));
    hl_status status = hl_setup_check_precision(&config, "x.ini");
    ck_assert_int_eq(status.code, missing == NULL ? HL_OK : HL_INVALID);
    ck_assert(missing == NULL || strncmp(status.text, "x.ini: train.precision: no bf16: ", 33) == 0);
    ck_assert_ptr_null(hl_setup_resolve_precision(&config));
    ck_assert_int_eq(config.train.precision, HL_PRECISION_BF16);

    config.train.precision = HL_PRECISION_AUTO;
    CHECK_OK(hl_setup_check_precision(&config, "x.ini"));
    ck_assert(hl_setup_model(&config).bf16 == (missing == NULL));
    ck_assert_ptr_eq(hl_setup_resolve_precision(&config), missing);
    ck_assert_int_eq(config.train.precision, missing == NULL ? HL_PRECISION_BF16 : HL_PRECISION_FLOAT);
}

/* LIBXSMM told to use less, before it is first asked, is a machine without the instruction. */
TEST(a_trainer_in_bf16_is_refused_where_that_is_not_to_be_had)
{
    setenv("LIBXSMM_TARGET", "skx", 1);
    hl_config config;
    config_parse("[train]\nprecision = bf16\n", &config);
    hl_trainer trainer;
    hl_status status = hl_trainer_init(&trainer, &config);
    hl_trainer_free(&trainer);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, "train.precision: no bf16: "));
    ck_assert(!hl_setup_model(&config).bf16);
}

TEST(a_model_without_an_output_layer_is_not_trained)
{
    hl_config config;
    config_parse("", &config);
    CHECK_OK(hl_setup_check_trained(&config, "x.ini"));
    config_parse("[model]\nhead = none\n", &config);
    ck_assert_int_eq(hl_setup_model(&config).head, HL_HEAD_NONE);
    message_check(hl_setup_check_trained(&config, "x.ini"), HL_INVALID, "train.x_ini_model_head_none_leaves");
}

/* What config.json says and no key can: the key would have its default, and the model compute other numbers. */
TEST(an_open_model_outside_the_ranges_of_keys_is_refused)
{
    static const struct {
        const char *old, *new, *key;
    } rows[] = {
        { "\"layer_norm_eps\": 0.001", "\"layer_norm_eps\": 1e-16", "model.norm_eps: " },
        { "\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": 0.995", "model.dropout: " },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = tiny_changed("bert_bare", "config.json", rows[i].old, rows[i].new);
        hl_pretrained *folder;
        hl_dataset *dataset = NULL;
        static hl_config config;
        CHECK_OK(hl_pretrained_open(path, &folder));
        hl_status status = hl_setup_pretrained(folder, path, NULL, 0, &config, &dataset);
        ck_assert_int_eq(status.code, HL_BAD_FILE);
        ck_assert_msg(strncmp(status.text, path, strlen(path)) == 0 && strstr(status.text, rows[i].key) != NULL, "%s",
                      status.text);
        hl_pretrained_close(folder);
    }
}

TEST(optimizer_and_schedule_are_the_configs)
{
    hl_config config;
    config_parse("[model]\nd_model = 24\n[optimizer]\nname = adamw\nlearning_rate = 0.5\nschedule = noam\n"
                 "min_rate = 0.125\nwarmup_steps = 7\nbeta1 = 0.8\nbeta2 = 0.95\nepsilon = 1e-6\nweight_decay = 0.25\n"
                 "[train]\nsteps = 77\n",
                 &config);
    const hl_optimizer_options optimizer = config.optimizer.update;
    ck_assert_int_eq(optimizer.name, HL_ADAMW);
    ck_assert_double_eq(optimizer.beta1, 0.8);
    ck_assert_double_eq(optimizer.beta2, 0.95);
    ck_assert_double_eq(optimizer.epsilon, 1e-6);
    ck_assert_double_eq(optimizer.weight_decay, 0.25);
    hl_schedule schedule = hl_setup_schedule(&config);
    ck_assert_int_eq(schedule.name, HL_SCHEDULE_NOAM);
    ck_assert_double_eq(schedule.learning_rate, 0.5);
    ck_assert_double_eq(schedule.min_rate, 0.125);
    ck_assert_int_eq(schedule.warmup_steps, 7);
    ck_assert_int_eq(schedule.steps, 77);
    ck_assert_int_eq(schedule.d_model, 24);
}

TEST(threads_are_those_asked_for_or_what_the_machine_allows)
{
    hl_config config;
    config_parse("[train]\nthreads = 3\n", &config);
    ck_assert_int_eq(hl_setup_threads(&config), 3);
    config.train.threads = 0;
    ck_assert_int_eq(hl_setup_threads(&config), hl_threads_default());
}

SUITE("setup")
