#include "core/base/memory.h"
#include "programs/ablate/plan.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/messages.h"
#include "tests/programs/command_lines.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static const char content[] = "[task]\nlength = 3\nsymbols = 4\n[model]\nd_model = 64\nheads = 4\nlayers = 2\n"
                              "[train]\nsteps = 10\neval_examples = 8\nseed = 7\n";

/* Plans "CONFIG <line>". */
static hl_status plan_of(const char *config, const char *line, hl_ablate_plan *plan)
{
    static hl_ablate_command command;
    command_line words = command_line_of("ablate", scratch_format("%s %s", config, line));
    *plan = (hl_ablate_plan){ 0 };
    CHECK_OK(hl_ablate_command_parse(words.argc, words.argv, &command));
    return hl_ablate_plan_make(&command, plan, NULL, NULL);
}

/* The variants' values, one a line, the base's with a star, and a letter where they have one. */
static const char *listed(const char *config, const char *line)
{
    static char text[TEXT];
    hl_ablate_plan plan;
    CHECK_OK(plan_of(config, line, &plan));
    text[0] = '\0';
    for (int64_t v = 0; v < plan.n_variants; v++) {
        size_t used = strlen(text);
        char row[] = { ' ', plan.variants[v].row, '\0' };
        snprintf(text + used, sizeof text - used, "%s%s%s\n", plan.variants[v].values, v == plan.base ? "*" : "",
                 row[1] != '\0' ? row : "");
    }
    hl_ablate_plan_free(&plan);
    return text;
}

static const char *usual(void)
{
    return run_config("usual.ini", content);
}

/* `more` ends the section [model]. */
static const char *with(const char *more)
{
    const char *train = strstr(content, "[train]");
    const char *text = scratch_format("%.*s%s\n%s", (int)(train - content), content, more, train);
    return run_config("with.ini", text);
}

TEST(the_base_stands_where_its_values_are_or_first)
{
    ck_assert_str_eq(listed(usual(), "--heads 1,4,16"), "heads=1\nheads=4*\nheads=16\n");
    ck_assert_str_eq(listed(usual(), "--heads 1,2"), "heads=4*\nheads=1\nheads=2\n");
    ck_assert_str_eq(listed(usual(), "model.heads=2 --heads 1,2"), "heads=1\nheads=2*\n");
    ck_assert_str_eq(listed(usual(), "--positions none,sinusoidal"), "positions=none\npositions=sinusoidal*\n");
}

TEST(several_keys_make_a_grid)
{
    ck_assert_str_eq(listed(usual(), "--d-k 4,16 --vary model.dropout=0,0.10"),
                     "d_k=4,dropout=0\nd_k=4,dropout=0.1\nd_k=16,dropout=0*\nd_k=16,dropout=0.1\n");
}

/* A training that goes on has no auto, which may have meant something else when it was begun. */
TEST(auto_precision_is_what_it_means_here)
{
    setenv("LIBXSMM_TARGET", "skx", 1); /* as a machine without bf16 */
    ck_assert_str_eq(listed(usual(), "--vary train.precision=auto"), "precision=float*\n");
    ck_assert_str_eq(listed(usual(), "train.precision=auto --vary train.precision=float"), "precision=float*\n");
    hl_ablate_plan plan;
    hl_status status = plan_of(usual(), "--vary train.precision=auto,float", &plan);
    ck_assert_str_eq(status.text, "command line: precision=float is asked for twice");
    hl_ablate_plan_free(&plan);
}

TEST(names_that_a_column_or_another_key_has_are_full)
{
    ck_assert_str_eq(listed(usual(), "--vary train.steps=10 --vary optimizer.name=adam,sgd"),
                     "train.steps=10,optimizer.name=adam*\ntrain.steps=10,optimizer.name=sgd\n");
}

TEST(the_widths_follow_from_the_number_of_heads)
{
    hl_ablate_plan plan;
    CHECK_OK(plan_of(with("d_k = 16\nd_v = 16\nkv_heads = 4"), "--heads 1,8", &plan));
    ck_assert_int_eq(plan.n_keys, 1);
    const hl_model_config *one = &plan.variants[1].config.model, *eight = &plan.variants[2].config.model;
    ck_assert(one->heads[1] == 1 && one->kv_heads[1] == 1 && one->d_k[1] == 64 && one->d_v[1] == 64);
    ck_assert(eight->heads[0] == 8 && eight->kv_heads[0] == 8 && eight->d_k[0] == 8 && eight->d_v[0] == 8);
    ck_assert(plan.variants[0].parameters == plan.variants[1].parameters);
    ck_assert(plan.variants[0].flops == plan.variants[2].flops && plan.variants[0].flops > 0);
    hl_ablate_plan_free(&plan);
}

TEST(widths_that_do_not_are_shown_as_varying)
{
    ck_assert_str_eq(listed(with("d_k = 8"), "--heads 2,4"),
                     "heads=4,d_k=8,d_v=16*\nheads=2,d_k=32,d_v=32\nheads=4,d_k=16,d_v=16\n");
    ck_assert_str_eq(listed(with("d_k = 8"), "--vary model.heads=2,4"), "heads=2\nheads=4*\n");
    ck_assert_str_eq(listed(usual(), "--heads 2,8 --d-k 8"), "heads=4,d_k=16*\nheads=2,d_k=8\nheads=8,d_k=8\n");
}

/* --vary leaves all others as they are; where the base's heads share keys, so does --heads. */
TEST(heads_share_keys_as_the_bases_do)
{
    static const struct {
        const char *base, *line;
        int64_t kv_heads;
    } cases[] = { { "kv_heads = 1", "--heads 2", 1 },
                  { "kv_heads = 1", "--heads 8", 1 },
                  { "kv_heads = 4", "--heads 8", 8 }, /* as many as heads: none is shared */
                  { "kv_heads = 4", "--vary model.heads=8", 4 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_ablate_plan plan;
        CHECK_OK(plan_of(with(cases[i].base), cases[i].line, &plan));
        ck_assert_int_eq(plan.n_keys, 1);
        ck_assert_int_eq(plan.variants[1].config.model.kv_heads[0], cases[i].kv_heads);
        hl_ablate_plan_free(&plan);
    }
}

TEST(values_may_have_blanks_around_them_but_no_end)
{
    char many[HL_CONFIG_OVERRIDE];
    memset(many, '1', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    hl_ablate_command command = {
        .config.path = usual(), .seeds = 1, .n_axes = 1, .axes[0] = { "model.dropout", " 0, 0.1 " }
    };
    hl_ablate_plan plan;
    CHECK_OK(hl_ablate_plan_make(&command, &plan, NULL, NULL));
    ck_assert_int_eq(plan.n_variants, 2);
    ck_assert_str_eq(plan.variants[1].values, "dropout=0.1");
    hl_ablate_plan_free(&plan);
    command.axes[0] = (hl_ablate_axis){ "model.layers", many };
    message_check(hl_ablate_plan_make(&command, &plan, NULL, NULL), HL_INVALID,
                  "ablate.model_layers_a_value_is_longer");
    hl_ablate_plan_free(&plan);
}

TEST(numbers_a_layer_are_joined_in_names)
{
    ck_assert_str_eq(listed(usual(), "model.heads=4,8 --vary model.causal=on"), "causal=false*\ncausal=true\n");
    ck_assert_str_eq(listed(usual(), "model.heads=4,8 --heads 4"), "heads=4-8*\nheads=4\n");
}

TEST(table_3_is_scaled_to_the_config)
{
    ck_assert_str_eq(listed(usual(), "--table3"), "heads=4,d_k=16,d_v=16,positions=sinusoidal*\n"
                                                  "heads=1,d_k=64,d_v=64,positions=sinusoidal A\n"
                                                  "heads=2,d_k=32,d_v=32,positions=sinusoidal A\n"
                                                  "heads=8,d_k=8,d_v=8,positions=sinusoidal A\n"
                                                  "heads=16,d_k=4,d_v=4,positions=sinusoidal A\n"
                                                  "heads=4,d_k=4,d_v=16,positions=sinusoidal B\n"
                                                  "heads=4,d_k=8,d_v=16,positions=sinusoidal B\n"
                                                  "heads=4,d_k=16,d_v=16,positions=learned E\n"
                                                  "heads=4,d_k=16,d_v=16,positions=none E\n");
    /* what does not divide is left out, nothing comes twice */
    ck_assert_str_eq(listed(usual(), "--table3 model.heads=2 model.d_model=6 model.positions=none"),
                     "heads=2,d_k=3,d_v=3,positions=none*\nheads=1,d_k=6,d_v=6,positions=none A\n"
                     "heads=2,d_k=3,d_v=3,positions=sinusoidal E\nheads=2,d_k=3,d_v=3,positions=learned E\n");
    /* nor can one head have two heads' keys */
    ck_assert_str_eq(listed(usual(), "--table3 model.kv_heads=2 model.d_model=12"),
                     "heads=4,d_k=3,d_v=3,positions=sinusoidal*\nheads=2,d_k=6,d_v=6,positions=sinusoidal A\n"
                     "heads=4,d_k=3,d_v=3,positions=learned E\nheads=4,d_k=3,d_v=3,positions=none E\n");
}

TEST(cells_have_their_seeds_and_folders)
{
    hl_ablate_plan plan;
    CHECK_OK(plan_of(usual(), "--heads 4,8 --seeds 2 --out some/where", &plan));
    static const char *const paths[] = { "some/where/heads=4,seed=7", "some/where/heads=4,seed=8",
                                         "some/where/heads=8,seed=7", "some/where/heads=8,seed=8" };
    ck_assert_int_eq(hl_ablate_plan_cells(&plan), 4);
    for (int64_t i = 0; i < 4; i++) {
        hl_config config;
        ck_assert_str_eq(hl_ablate_plan_path(&plan, i).text, paths[i]);
        CHECK_OK(hl_ablate_plan_config(&plan, i, &config));
        ck_assert_str_eq(config.train.out, paths[i]);
        ck_assert_int_eq(config.train.seed, 7 + i % 2);
        ck_assert_int_eq(config.model.heads[1], i < 2 ? 4 : 8);
    }
    ck_assert_str_eq(plan.variants[0].name, "base");
    ck_assert_str_eq(plan.variants[1].name, "heads=8");
    hl_ablate_plan_free(&plan);
    static const char *const folders[][2] = { { "--heads 4", "runs/usual-ablation-heads" },
                                              { "--d-k 4 --vary model.layers=1", "runs/usual-ablation-d_k-layers" },
                                              { "--table3", "runs/usual-ablation-table3" } };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        CHECK_OK(plan_of(usual(), folders[i][0], &plan));
        ck_assert_str_eq(plan.folder, folders[i][1]);
        hl_ablate_plan_free(&plan);
    }
}

/* Texts are equal where all cells are. */
TEST(the_text_tells_plans_apart)
{
    static const char *const others[] = { "--heads 1,2 --seeds 4", "--heads 1,2 train.seed=8", "--heads 2,1",
                                          "--heads 1,2 train.steps=11", "--heads 1,2 patterns.examples=3" };
    hl_ablate_plan plan;
    hl_text text = { 0 }, same = { 0 };
    ck_assert_int_eq(plan_of(usual(), "--heads 1,2", &plan).code, HL_OK);
    ck_assert_int_eq(hl_ablate_plan_text(&plan, &text).code, HL_OK);
    hl_ablate_plan_free(&plan);
    char threads[TEXT];
    snprintf(threads, sizeof threads, "%sthreads = 3\n", content);
    ck_assert_int_eq(plan_of(run_config("usual.ini", threads), "--heads 1,2 --out x --jobs 2 --target 0.5", &plan).code,
                     HL_OK);
    ck_assert_int_eq(hl_ablate_plan_text(&plan, &same).code, HL_OK);
    hl_ablate_plan_free(&plan);
    ck_assert_str_eq(text.bytes, same.bytes);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hl_text *other = scratch_text();
        CHECK_OK(plan_of(usual(), others[i], &plan));
        CHECK_OK(hl_ablate_plan_text(&plan, other));
        ck_assert_str_ne(text.bytes, other->bytes);
        hl_ablate_plan_free(&plan);
    }
    hl_text_free(&text);
    hl_text_free(&same);
}

TEST(what_is_wrong_is_named_with_the_remedy)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        { "--heads 3", "with model.heads=3 model.d_k=0 model.d_v=0 model.kv_heads=0: command line: model.heads: "
                       "d_model, 64, cannot be divided by 3" },
        { "--heads 1,x", "with model.heads=x" },
        { "--heads 1,,2", "model.heads: a value is missing" },
        { "--heads 2,02", "heads=2 is asked for twice" },
        { "--heads 4,4", "heads=4 is asked for twice" },
        { "--vary model.haeds=1", "model.haeds: unknown key (did you mean \"model.heads\"?)" },
        { "--vary heads=1", "heads: unknown key (did you mean \"model.heads\"?)" },
        { "--vary train.seed=1,2", "give --seeds N" },
        { "--vary train.threads=1,2", "changes no result" },
        { "--vary patterns.every=1", "changes no result" },
        { "--heads 1 train.steps=0", "train.steps: 0 is outside" },
        { "--heads 1 --seeds 1000 --vary optimizer.beta1=0.1,0.2,0.3", "trainings; leave values or seeds out" },
        { "--heads 1,2 --seeds 1000", "3 rows of 1000 seeds are more than 2000 trainings" }, /* with the base */
        { "--table3 model.heads=4,8", "--table3 scales one number of heads" },
        { "--heads 1 train.seed=1000000000000000 --seeds 2", "leaves no room for 2 seeds" },
        { "--heads 1 train.threads=2", "train.threads: the trainings of a sweep share the cores; --jobs N" },
        { "--heads 1 train.out=\"a", ": train.out=" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_ablate_plan plan;
        CHECK_FAILS(plan_of(usual(), cases[i].line, &plan), HL_INVALID, cases[i].words);
        hl_ablate_plan_free(&plan);
    }
}

TEST(want_of_memory_is_told_and_nothing_lost)
{
    const char *config = usual();
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_ablate_plan plan;
        fault_checks_turn(plan_of(config, "--heads 1,4", &plan));
        hl_ablate_plan_free(&plan);
    }
    ck_assert_int_gt(n, 10);
    faults_end();
}

SUITE("ablate_plan")
