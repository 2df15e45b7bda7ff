#include "core/base/memory.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/scratch.h"
#include "tests/train/config_parsing.h"
#include "train/setup.h"

#include <math.h>
#include <string.h>

TEST(an_empty_config_is_the_copy_task_by_default)
{
    hl_config config;
    config_parse("", &config);
    ck_assert_str_eq(hl_config_task_spec(&config).name, "copy");
    ck_assert_int_eq(config.task.length, 10);
    ck_assert_int_eq(config.task.min_length, 10);
    ck_assert_int_eq(config.task.symbols, 16);
    ck_assert_int_eq(config.model.n_layers, 2);
    for (int l = 0; l < 2; l++) {
        ck_assert_int_eq(config.model.heads[l], 4);
        ck_assert_int_eq(config.model.kv_heads[l], 4);
        ck_assert_int_eq(config.model.d_k[l], 16);
        ck_assert_int_eq(config.model.d_v[l], 16);
    }
    ck_assert_int_eq(config.model.heads[2], 0);
    ck_assert_int_eq(config.model.d_ff, 256);
    ck_assert_int_eq(config.model.norm, HL_NORM_PRE);
    ck_assert_int_eq(config.model.max_length, 21);
    ck_assert(config.model.bias);
    ck_assert(!config.model.causal);
    ck_assert_double_eq(config.optimizer.update.beta2, 0.98);
    ck_assert_double_eq(config.optimizer.update.epsilon, 1e-9);
    ck_assert_int_eq(config.patterns.every, HL_CONFIG_LOG);
    ck_assert_int_eq(config.patterns.examples, 32);
    ck_assert_str_eq(config.train.out, "runs/x");
}

TEST(every_type_of_value_is_read)
{
    hl_config config;
    config_parse("# shift\r\n[task]\r\nname=shift ; rotated\r\nlength=7\r\nshift=-3\r\n"
                 "[model]\nlayers = 3\nd_model = 48\nheads = 4,2 , 8\nkv_heads = 0, 1, 2\nd_k = 5\nd_v = 0, 7, 0\n"
                 "activation = gelu\nnorm = post\npositions = none\ncausal = yes\nbias = off\ntie_embedding = 1\n"
                 "d_ff = 10\nmax_length = 99\n"
                 "[optimizer]\nname = sgd\nschedule = noam\nlearning_rate = 1.5e-2\nclip_norm = -0\nbeta1 = .5\n"
                 "[train]\nseed = 1000000000000000\nout = /tmp/r\xc3\xbcns of mine\n"
                 "[patterns]\nevery = 250\n",
                 &config);
    ck_assert_str_eq(hl_config_task_spec(&config).name, "shift");
    ck_assert_int_eq(hl_config_task_spec(&config).shift, -3);
    ck_assert_int_eq(hl_config_task_spec(&config).min_length, 7);
    static const int32_t heads[] = { 4, 2, 8, 0 }, kv_heads[] = { 4, 1, 2, 0 }, d_k[] = { 5, 5, 5, 0 },
                         d_v[] = { 12, 7, 6, 0 };
    ck_assert_mem_eq(config.model.heads, heads, sizeof heads);
    ck_assert_mem_eq(config.model.kv_heads, kv_heads, sizeof kv_heads);
    ck_assert_mem_eq(config.model.d_k, d_k, sizeof d_k);
    ck_assert_mem_eq(config.model.d_v, d_v, sizeof d_v);
    ck_assert_int_eq(config.model.activation, HL_GELU);
    ck_assert_int_eq(config.model.norm, HL_NORM_POST);
    ck_assert_int_eq(config.model.positions, HL_POSITIONS_NONE);
    ck_assert(config.model.causal && !config.model.bias && config.model.tie_embedding);
    ck_assert_int_eq(config.model.d_ff, 10);
    ck_assert_int_eq(config.model.max_length, 99);
    ck_assert_int_eq(config.optimizer.update.name, HL_SGD);
    ck_assert_int_eq(config.optimizer.schedule.name, HL_SCHEDULE_NOAM);
    ck_assert_double_eq(config.optimizer.schedule.learning_rate, 0.015);
    ck_assert(config.optimizer.clip_norm == 0 && !signbit(config.optimizer.clip_norm));
    ck_assert_double_eq(config.optimizer.update.beta1, 0.5);
    ck_assert_int_eq(config.train.seed, 1000000000000000);
    ck_assert_str_eq(config.train.out, "/tmp/r\xc3\xbcns of mine");
    ck_assert_int_eq(config.patterns.every, 250);
}

TEST(heads_that_do_not_divide_the_width_may_give_theirs)
{
    hl_config config;
    config_parse("[model]\nheads = 3\nd_k = 16\nd_v = 20\n", &config);
    ck_assert_int_eq(config.model.d_k[1], 16);
    ck_assert_int_eq(config.model.d_v[1], 20);
}

TEST(dropout_is_the_default_of_three_others)
{
    hl_config config;
    config_parse("[model]\ndropout = 0.25\ndropout_ffn = 0\n", &config);
    ck_assert_double_eq(config.model.dropout_attention, 0.25);
    ck_assert_double_eq(config.model.dropout_residual, 0.25);
    ck_assert_double_eq(config.model.dropout_ffn, 0);
    ck_assert_double_eq(config.model.dropout_concat, 0);
    ck_assert_double_eq(config.model.dropout_embedding, 0);
}

TEST(an_override_beats_the_file)
{
    hl_config config;
    static const char *const overrides[CONFIG_OVERRIDES] = { "model.heads = 2 ", "train.out=a b", "task.name=recall" };
    static const char text[] = "[model]\nlayers = 3\nheads = 4, 2, 8\n[train]\nout = elsewhere\n";
    ck_assert_str_eq(config_problems(text, strlen(text), overrides, &config), "");
    ck_assert_int_eq(config.model.heads[0], 2);
    ck_assert_int_eq(config.model.heads[2], 2);
    ck_assert_int_eq(config.model.d_k[2], 32);
    ck_assert_str_eq(config.train.out, "a b");
    ck_assert_str_eq(hl_config_task_spec(&config).name, "recall");
}

TEST(an_override_leaves_nothing_of_what_it_replaces)
{
    hl_config config, other;
    static const char *const overrides[CONFIG_OVERRIDES] = { "model.heads=4", "train.out=a", "model.layers=1" };
    static const char text[] = "[model]\nlayers = 3\nheads = 4, 2, 8\n[train]\nout = elsewhere\n";
    ck_assert_str_eq(config_problems(text, strlen(text), overrides, &config), "");
    config_parse("[model]\nlayers = 1\n[train]\nout = a\n", &other);
    ck_assert_mem_eq(&config, &other, sizeof config);
}

static const struct {
    const char *path, *out;
} outs[] = {
    { "copy.ini", "runs/copy" },
    { "a/b.c/copy.v2.ini", "runs/copy.v2" },
    { "/x/copy", "runs/copy" },
    { "../gr\xc3\xb6\xc3\x9f"
      "e.ini",
      "runs/gr\xc3\xb6\xc3\x9f"
      "e" },
    { "a#b;c.ini", "runs/a#b;c" },
    { "a\n\"b.ini", "runs/a\n\"b" },
    { "a\xff.ini", "runs/a\xff" },
    { "a/", "" },
    { "..", "" },
    { "-", "" },
    { ".ini", "" },
};

LOOP_TEST(the_run_folder_is_named_after_the_file, 0, sizeof outs / sizeof outs[0])
{
    hl_config config;
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = outs[_i].path }, "", 0, &config, &problems);
    CHECK_OK(status);
    ck_assert_int_eq(problems.n, 0);
    ck_assert_str_eq(config.train.out, outs[_i].out);
    status = hl_setup_check_out(&config, "a path");
    if (outs[_i].out[0] != '\0') {
        CHECK_OK(status);
    } else {
        ck_assert_int_eq(status.code, HL_INVALID);
        ck_assert_str_eq(status.text, "a path: train.out: no folder can be named after this file: give one, by --out");
    }
}

TEST(loading_reads_the_file_and_passes_its_failures_on)
{
    hl_config config;
    hl_problems problems = { 0 };
    const char *path = scratch_path("deep.ini");
    static const char text[] = "[model]\nlayers = 7\n";
    scratch_write(path, text, strlen(text));
    CHECK_OK(hl_config_load((hl_config_options){ .path = path }, &config, &problems));
    ck_assert_int_eq(config.model.n_layers, 7);
    ck_assert_str_eq(config.train.out, "runs/deep");

    /* A config that cannot be read is wrong usage, not a damaged file. */
    const char *missing = scratch_path("missing.ini");
    hl_status status = hl_config_load((hl_config_options){ .path = missing }, &config, &problems);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_int_eq(problems.n, 1);
    ck_assert_str_eq(status.text, problems.lines[0]);
    ck_assert_ptr_nonnull(strstr(status.text, "missing.ini"));
    hl_problems_free(&problems);

    status = hl_config_load((hl_config_options){ .path = "/" }, &config, &problems);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_int_eq(problems.n, 1);
    hl_problems_free(&problems);
}

TEST(a_newer_format_is_refused)
{
    static const char *const texts[] = { "# Format: 1\n[model]\nlayers = 7\n", "# mine\n# Format: 99\n[model]\n" };
    for (int i = 0; i < 2; i++) {
        hl_config config;
        hl_problems problems = { 0 };
        const char *path = scratch_path("config.ini");
        scratch_write(path, texts[i], strlen(texts[i]));
        hl_status status = hl_config_load((hl_config_options){ .path = path }, &config, &problems);
        ck_assert_int_eq(status.code, i == 0 ? HL_OK : HL_INVALID);
        ck_assert_int_eq(problems.n, i);
        ck_assert(i == 0 ||
                  strstr(status.text, "/config.ini: format 99, this Headlight reads up to 1; use a newer one"));
        hl_problems_free(&problems);
    }
}

TEST(running_out_of_memory_is_said_and_loses_nothing)
{
    const char *path = scratch_path("x.ini");
    static const char text[] = "[model]\nheds = 4\n[nonsense]\n[task]\nlength = 0\n";
    scratch_write(path, text, strlen(text));
    faults_begin();
    int n = 0;
    hl_status status;
    do {
        n++;
        hl_config config;
        hl_problems problems = { 0 };
        faults_in_memory(n, FAULTS_ONCE);
        status = hl_config_load((hl_config_options){ .path = path }, &config, &problems);
        bool failed = faults_allocations() >= n;
        ck_assert_int_eq(status.code, failed ? HL_NO_MEMORY : HL_INVALID);
        hl_problems_free(&problems);
        ck_assert_int_eq(faults_live_blocks(), 0);
    } while (status.code == HL_NO_MEMORY);
    ck_assert_int_ge(n, 5); /* the file and three problems */
    faults_end();
}

SUITE("config")
