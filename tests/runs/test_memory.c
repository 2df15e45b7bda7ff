/* The built program takes the memory that its summary told, and gets along with it. */
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/control_files.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/runs.h"
#include "tests/runs/told_memory.h"
#include "tests/scratch.h"
#include "train/footprint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const configs[] = { "copy_task.ini", "bench/tiny.ini", "bench/small.ini", "bench/long.ini" };

LOOP_TEST(a_run_takes_what_the_summary_told, 0, sizeof configs / sizeof *configs)
{
    told_memory_check(configs[_i]);
}

/* Its snapshots are most of what it takes: the last one is read when that of the recorder has gone, and not twice. */
TEST(the_end_of_a_run_and_heads_take_what_was_told)
{
    const char *folder =
        told_memory_check_resumed("[task]\nlength = 60\n[model]\nlayers = 1\nheads = 16\n[train]\nsteps = 2\n"
                                  "batch_size = 8\neval_examples = 24\n[patterns]\nexamples = 24\nevery = 0\n",
                                  INFINITY);
    told_memory_check_heads(folder);
}

/* Metrics of many heads are most of what it takes, and a run that is resumed has more of them. */
TEST(a_run_with_many_heads_takes_what_was_told_when_resumed)
{
    told_memory_check_resumed("[task]\nname = identity_copy\nlength = 8\nsymbols = 8\n[model]\nlayers = 4\n"
                              "d_model = 128\nheads = 128\n[train]\nsteps = 3\nbatch_size = 4\n"
                              "eval_examples = 16\n[patterns]\nexamples = 4\n",
                              INFINITY);
}

/* A figure of many heads in a row takes more than all else. */
TEST(heads_takes_what_was_told_for_figures)
{
    told_memory_check_figures("[task]\nname = identity_copy\nlength = 16\nsymbols = 8\n[model]\nlayers = 2\n"
                              "d_model = 128\nheads = 128\n[train]\nsteps = 1\nbatch_size = 2\n"
                              "eval_examples = 4\n[patterns]\nexamples = 2\nevery = 0\n");
}

/* The maps as JSON and CSV take many times their bytes, and must not stand in memory whole. Of the snapshots that a run
 * may take where the loss falls, this one has none. */
TEST(heads_takes_what_was_told_for_maps)
{
    told_memory_check_maps("[task]\nname = identity_copy\nlength = 200\nsymbols = 8\n[model]\nlayers = 2\n"
                           "d_model = 32\nheads = 16\n[train]\nsteps = 1\nbatch_size = 2\n"
                           "eval_examples = 4\n[patterns]\nexamples = 2\n");
}

/* Scores for the trees of all sentences together would take 50 MB. */
TEST(heads_takes_what_was_told_for_a_treebank)
{
    told_memory_check_treebank(run_kept(tiny_folder("bert_bare")), 4000, "--trees", NULL);
}

/* The snapshot that grammar --importance measures stays beside what a treebank takes; the page comes after it. */
TEST(heads_takes_what_was_told_for_a_treebank_beside_snapshots)
{
    static char text[1 << 18];
    for (size_t i = 0; i < 600 * 40; i++) {
        strcpy(text + strlen(text), i % 40 == 39 ? "dog\n" : i % 3 == 0 ? "dog " : "cat ");
    }
    const char *path = run_kept(run_config("text.txt", text));
    const char *config =
        scratch_format("[task]\nname = masked\nfile = %s\nvalidation_file = %s\n[tokens]\nkind = words\n[model]\n"
                       "layers = 2\nd_model = 64\nheads = 16\nmax_length = 64\n[train]\nsteps = 1\nbatch_size = 4\n"
                       "[patterns]\nexamples = 250\nevery = 0\n",
                       path, path);
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_config("masked.ini", config), "--out", folder, "--quiet");
    told_memory_check_treebank(folder, 2000, "--importance", NULL);
    told_memory_check_treebank(folder, 2000, "--report", run_path("page.html"));
}

/* Weights and moments take most of it: the checkpoint must not stand in memory a second time. */
TEST(a_run_with_large_weights_takes_no_more_when_resumed)
{
    told_memory_check_resumed("[task]\nname = identity_copy\nlength = 8\nsymbols = 8\n[model]\nlayers = 2\n"
                              "d_model = 512\nheads = 8\nd_ff = 2048\n[train]\nsteps = 2\nbatch_size = 2\n"
                              "eval_examples = 16\n[patterns]\nexamples = 2\n",
                              INFINITY);
}

/* Sentences of many lengths need code for each, and TensorBoard figures of the heads. */
TEST(a_run_that_tags_and_draws_takes_what_was_told)
{
    const char *config = scratch_format(
        "[task]\nname = tags\nfile = %s/text/treebank.conllu.gz\n[tokens]\nkind = wordpiece\nsize = 400\n"
        "[model]\nlayers = 2\nd_model = 64\nheads = 4\n[train]\nsteps = 2\nbatch_size = 32\n"
        "tensorboard = true\n[patterns]\ntreebank = %s/text/treebank.conllu.gz\n",
        HL_CONFIGS, HL_CONFIGS);
    told_memory_check_resumed(config, INFINITY);
}

TEST(a_run_that_begins_with_an_open_model_takes_what_was_told)
{
    const char *config =
        scratch_format("[task]\nname = tags\nfile = %s/text/treebank.conllu.gz\n[train]\nfrom = %s\nsteps = 2\n"
                       "batch_size = 128\ntensorboard = true\n",
                       HL_CONFIGS, tiny_folder("roberta_masked"));
    told_memory_check_resumed(config, INFINITY);
}

/* The JSON of that many tokens takes several times what the model does. */
TEST(a_run_with_many_words_takes_what_was_told)
{
    enum { WORDS = 30000, A_LINE = 20 };
    static char text[WORDS * sizeof "w12345"];
    char config[1024], *end = text;
    for (int i = 0; i < WORDS; i++) {
        end += sprintf(end, "w%d%c", i, i % A_LINE == A_LINE - 1 ? '\n' : ' ');
    }
    const char *path = run_kept(run_config("words.txt", text));
    snprintf(config, sizeof config,
             "[task]\nname = masked\nfile = %s\nvalidation_file = %s\n[tokens]\nkind = words\nsize = 30000\n"
             "min_count = 1\n[model]\nlayers = 1\nd_model = 16\nheads = 2\nmax_length = 32\n[train]\nsteps = 2\n"
             "batch_size = 4\neval_examples = 4\n[patterns]\nexamples = 0\n",
             path, path);
    told_memory_check_resumed(config, INFINITY);
}

/* Batches of every length in turn: none needs more memory than was planned, though what backward gives back fits some
 * of them less well than the longest. */
TEST(shorter_batches_fit_too)
{
    const char *path = run_config("lengths.ini", "[task]\nname = identity_copy\nmin_length = 300\nlength = 349\n"
                                                 "symbols = 82\n[model]\nlayers = 1\nd_model = 128\nheads = 2\n"
                                                 "d_ff = 256\ndropout = 0.1\n[train]\nsteps = 40\nbatch_size = 2\n"
                                                 "eval_every = 0\neval_examples = 50\ncheckpoint_every = 0\n"
                                                 "threads = 1\n[patterns]\nexamples = 0\n");
    EXPECT_RUN(0, path, "--out", run_path("run"), "--quiet");
}

/* ---- in a container ---- */

static char limit[32];

static void limit_memory(void)
{
    static const control_file files[] = { { "/proc/meminfo", "MemAvailable: 1073741824 kB\n" },
                                          { "/proc/self/cgroup", "0::/\n" },
                                          { "/sys/fs/cgroup/memory.max", limit },
                                          { "/sys/fs/cgroup/memory.current", "0\n" },
                                          { NULL, NULL } };
    control_files_begin(files);
}

static run_result run_in(size_t bytes, const char *config, const char *folder)
{
    snprintf(limit, sizeof limit, "%zu\n", bytes);
    const char *arguments[] = { config, "--out", folder, NULL };
    return run_with((run_options){ .arguments = arguments, .before = limit_memory });
}

static run_result look_with(size_t bytes, const char *verb, const char *folder, const char *option, const char *value)
{
    snprintf(limit, sizeof limit, "%zu\n", bytes);
    const char *arguments[] = { verb, folder, option, value, NULL };
    return run_with((run_options){ .arguments = arguments, .before = limit_memory, .program = hl_heads_program });
}

static void expect_refused(run_result run, const char *begin)
{
    ck_assert_int_eq(run.code, 5);
    ck_assert_msg(strstr(run.err, begin) != NULL, "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.err, "in this container"));
    ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    ck_assert_str_eq(run.out, "");
}

TEST(a_run_too_large_for_its_container_is_refused_before_it_begins)
{
    const char *path = run_tiny_config(), *folder = run_path("run");
    hl_config config;
    hl_problems problems = { 0 };
    hl_footprint needed;
    CHECK_OK(hl_config_load((hl_config_options){ .path = path }, &config, &problems));
    CHECK_OK(hl_footprint_of_config(&config, &needed));
    run_result run = run_in(needed.total - 1, path, folder);
    expect_refused(run, "tiny.ini: the run needs about ");
    ck_assert_str_eq(run_list(folder), "");
    OK(run_in(needed.total, path, folder));
}

/* Most of what it takes are the metrics of snapshots where the loss falls, which are not sure: it begins, and where
 * they came to be too many for the memory, only they are missing. */
TEST(a_run_is_not_refused_for_snapshots_that_it_may_not_take)
{
    const char *path = run_config("falls.ini", "[task]\nname = identity_copy\nlength = 4\nsymbols = 8\n[model]\n"
                                               "layers = 2\nd_model = 256\nheads = 128\nd_ff = 32\n[optimizer]\n"
                                               "schedule = constant\nlearning_rate = 0.001\n[train]\nsteps = 20\n"
                                               "batch_size = 8\neval_every = 0\neval_examples = 4\n[patterns]\n"
                                               "examples = 2\n");
    const char *folder = run_path("run");
    hl_config config;
    hl_problems problems = { 0 };
    hl_footprint needed;
    CHECK_OK(hl_config_load((hl_config_options){ .path = path }, &config, &problems));
    CHECK_OK(hl_footprint_of_config(&config, &needed));
    ck_assert_uint_gt(needed.most, needed.total);
    FAILS_SAYING(run_in(needed.total, path, folder), 5, ": measuring its heads needs about ",
                 "; the training is complete, but heads.csv");
    OK(look_with(needed.most, "table", folder, NULL, NULL));
}

TEST(heads_too_large_for_its_container_is_refused_before_it_begins)
{
    static const struct {
        const char *verb, *option, *value;
    } all[] = { { "table", NULL, NULL },      { "importance", NULL, NULL },
                { "map", "L0H0", NULL },      { "importance", "--keep", "L0H0" },
                { "prune", NULL, NULL },      { "compare", NULL, NULL },
                { "map", "--input", "s1 s2" } };
    const char *folder = TINY_RUN("run");
    const char *page = run_read(run_file(folder, "report.html")), *names = run_list(folder);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool two = strcmp(all[i].verb, "compare") == 0;
        expect_refused(look_with(1 << 20, all[i].verb, folder, two ? folder : all[i].option, all[i].value),
                       two ? ": comparing it needs about " : ": looking at its heads needs about ");
        ck_assert_str_eq(run_list(folder), names);
        ck_assert_str_eq(run_read(run_file(folder, "report.html")), page);
    }
    OK(look_with(64 << 20, "table", folder, NULL, NULL));
}

/* ---- of several processes ---- */

static void change_nothing(void *context, int64_t *values, int64_t count)
{
    (void)context, (void)values, (void)count;
}

static void take_neighbour(void *context, int from, void *data, size_t bytes)
{
    (void)context;
    if (from == 1) {
        memcpy(data, (char *)data - bytes, bytes); /* of an array by rank */
    }
}

/* Rank 0 of two processes on this machine, which are alike. */
static int be_one_of_two(int argc, char **argv, FILE *out, FILE *err)
{
    hl_ranks ranks = { .n = 2, .broadcast = take_neighbour, .maximum = change_nothing, .sum = change_nothing };
    return hl_heads_program_together(&ranks, argc, argv, out, err);
}

static int measure_with(size_t bytes, const char *folder, int (*program)(int argc, char **argv, FILE *out, FILE *err))
{
    snprintf(limit, sizeof limit, "%zu\n", bytes);
    const char *arguments[] = { "importance", folder, NULL };
    return run_with((run_options){ .arguments = arguments, .before = limit_memory, .program = program }).code;
}

TEST(processes_that_measure_together_share_their_machines_memory)
{
    const char *folder = TINY_RUN("run");
    size_t enough = 1 << 20;
    while (measure_with(enough, folder, hl_heads_program) == HL_NO_MEMORY) {
        enough += enough / 2;
    }
    ck_assert_int_eq(measure_with(enough, folder, hl_heads_program), HL_OK);
    ck_assert_int_eq(measure_with(enough, folder, be_one_of_two), HL_NO_MEMORY);
    ck_assert_int_eq(measure_with(2 * enough, folder, be_one_of_two), HL_OK);
}

SUITE("memory of a run", .seconds = 60)
