/* What the program does with its command line and with the folder it is given. */
#include "tests/check_suite.h"
#include "tests/runs/shipped_configs.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int lines_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++) {
        n += *text == '\n';
    }
    return n;
}

/* Everything in a run's folder, bytes included, as one text to compare. */
static const char *content_of(const char *folder)
{
    static const char *const names[] = { "checkpoint.safetensors", "model.safetensors", "config.ini", "metrics.csv" };
    static char sums[2][4096];
    static int next;
    char *text = sums[next++ % 2];
    int n = snprintf(text, sizeof sums[0], "%s| %s|", run_list(folder), run_list(run_file(folder, "patterns")));
    for (int i = 0; i < 4; i++) {
        size_t size = 0;
        char *bytes = scratch_read(run_file(folder, names[i]), &size);
        unsigned sum = 0;
        for (size_t b = 0; b < size; b++) {
            sum = sum * 31 + (unsigned char)bytes[b];
        }
        n += snprintf(text + n, sizeof sums[0] - (size_t)n, " %zu:%u", size, sum);
    }
    return text;
}

TEST(a_run_leaves_its_files_and_says_so)
{
    const char *folder = run_path("run");
    run_result run = SAYS(RUN(run_tiny_config(), "patterns.every=10", "--out", folder), "step 24/24  validation  loss",
                          "\nL1H1 ", "best validation loss");
    ck_assert_str_eq(run.err, "");
    ck_assert_str_eq(run_list(folder),
                     ".lock checkpoint.safetensors config.ini heads.csv metrics.csv model.safetensors patterns "
                     "report.html vocab.txt ");
    ck_assert_str_eq(run_list(run_file(folder, "patterns")),
                     "step_000000.npz step_000010.npz step_000020.npz step_000024.npz ");
    ck_assert_ptr_null(strchr(run.out, '\033'));
}

TEST(metrics_have_a_row_where_one_is_due)
{
    const char *folder = TINY_RUN("run", "train.steps=9");
    const char *metrics = run_read(run_file(folder, "metrics.csv"));
    char steps[256] = "";
    for (const char *line = strchr(metrics, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        char split[16];
        int step;
        ck_assert_int_eq(sscanf(line, "%d,%15[^,]", &step, split), 2);
        snprintf(steps + strlen(steps), sizeof steps - strlen(steps), "%d%c ", step, split[0]);
    }
    ck_assert_str_eq(steps, "0v 2t 4t 4v 6t 8t 8v 9t 9v ");
    ck_assert_ptr_nonnull(strstr(metrics, "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second\n0,"));
}

TEST(the_runs_own_config_runs_it_again)
{
    const char *folder = TINY_RUN("run"), *again = run_path("again");
    EXPECT_RUN(0, run_file(folder, "config.ini"), "--out", again);
    run_assert_same(folder, again);
    EXPECT_RUN(0, run_file(folder, "config.ini"), "--overwrite"); /* its `out` is that folder */
    run_assert_same(folder, again);
}

TEST(quiet_says_nothing)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    for (int i = 0; i < 2; i++) {
        run_result run = OK(RUN(config, "--quiet", "--out", folder, i == 0 ? "--overwrite" : "--resume"));
        ck_assert_str_eq(run.out, "");
        ck_assert_str_eq(run.err, "");
    }
}

TEST(an_existing_run_is_refused_and_untouched)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run");
    const char *before = content_of(folder);
    REFUSED(RUN(config, "model.heads=4", "--out", folder), 2, "runs.this_folder_holds_a_run_go");
    ck_assert_str_eq(before, content_of(folder));
}

TEST(overwriting_removes_the_runs_own_files_only)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.keep_checkpoints=3", "patterns.every=1"),
               *fresh = run_path("fresh");
    static const char *const mine[] = { "notes.txt", "checkpoint-best.safetensors", "patterns/step_1.png",
                                        "against-all-odds.txt" };
    for (int i = 0; i < 4; i++) {
        scratch_write(run_file(folder, mine[i]), "mine", 4);
    }
    static const char *const old[] = { "heads.csv", "report.html", "against-other.html", "checkpoint.safetensors.tmp",
                                       "patterns/step_000003.npz.tmp" };
    for (int i = 0; i < 5; i++) {
        scratch_write(run_file(folder, old[i]), "old", 3);
    }
    EXPECT_RUN(0, config, "--overwrite", "--out", folder);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(scratch_holds(run_file(folder, mine[i]), "mine", 4), "%s", mine[i]);
        unlink(run_file(folder, mine[i]));
    }
    EXPECT_RUN(0, config, "--out", fresh);
    run_assert_same(folder, fresh);
    ck_assert_str_eq(run_list(folder), run_list(fresh));
}

/* Whatever stands in the way of the new run, the old one is still there. */
TEST(what_fails_before_it_begins_overwrites_nothing)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run");
    const char *before = content_of(folder);
    EXPECT_RUN(2, config, "patterns.examples=10", "patterns.every=1", "train.steps=1000000", "--overwrite", "--out",
               folder);
    EXPECT_RUN(5, config, "model.d_model=65536", "model.d_ff=1048576", "model.layers=256", "--overwrite", "--out",
               folder);
    ck_assert_str_eq(before, content_of(folder));
}

/* Not even the folder; and where there is one, nothing in it. */
TEST(what_fails_before_it_begins_leaves_nothing)
{
    const char *config = run_tiny_config(), *folder = run_path("run"), *bad = run_config("bad.safetensors", "bad");
    EXPECT_RUN(3, config, "--from", bad, "--out", folder);
    ck_assert(!scratch_exists(folder));
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    EXPECT_RUN(3, config, "--from", bad, "--out", folder);
    ck_assert_str_eq(run_list(folder), "");
}

/* A billion steps of some 10^12 operations in little memory. */
#define YEARS                                                                                         \
    "train.steps=1000000000", "task.length=64", "train.batch_size=4096", "optimizer.accumulate=1024", \
        "model.d_model=128", "model.d_ff=512", "patterns.examples=0"

TEST(what_would_take_years_begins_only_when_asked_to)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.steps=2");
    const char *before = content_of(folder);
    static const char *const ways[] = { "--overwrite", "--quiet" };
    for (int i = 0; i < 2; i++) {
        REFUSED_SAYING(RUN(config, YEARS, "--overwrite", ways[i], "--out", folder), 2,
                       "tiny.ini: 1,000,000,000 steps of ", " TFLOP: about ", "begin all the same with --yes\n");
        ck_assert_str_eq(before, content_of(folder));
    }
    REFUSED_SAYING(ABLATE(config, YEARS, "--heads", "1,2", "--out", run_path("sweep")), 2, ": 6 trainings: about ");
    ck_assert(!scratch_exists(run_path("sweep")));
    const char *arguments[] = { config, YEARS, "--yes", "--overwrite", "--out", folder, NULL };
    pid_t process = run_start((run_options){ .arguments = arguments });
    for (int i = 0; i < 1000 && strstr(run_read(run_path("out.txt")), "years at the ") == NULL; i++) {
        run_pause(10);
    }
    kill(process, SIGKILL);
    ck_assert_int_eq(run_wait(process).code, RUN_KILLED + SIGKILL);
}

TEST(two_runs_cannot_share_a_folder)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    const char *arguments[] = { config, "train.steps=1000000", "patterns.examples=0", "--out", folder, NULL };
    pid_t first = run_start((run_options){ .arguments = arguments, .built = true });
    for (int i = 0; i < 1000 && !scratch_exists(run_file(folder, "metrics.csv")); i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    static const char *const ways[] = { "--resume", "--overwrite", "--quiet" };
    for (int i = 0; i < 3; i++) {
        REFUSED(RUN(config, ways[i], "--out", folder), 3, "runs.another_run_is_at_work_in");
    }
    kill(first, SIGKILL);
    ck_assert_int_eq(run_wait(first).code, RUN_KILLED + SIGKILL);
    EXPECT_RUN(0, config, "--overwrite", "--out", folder); /* the lock went with the process */
}

TEST(a_folder_that_cannot_be_is_a_file_error)
{
    const char *config = run_tiny_config(), *file = run_config("file", "");
    static const char *const impossible[] = { "/proc/headlight", "/dev/null/run" };
    for (int i = 0; i < 3; i++) {
        REFUSED_SAYING(RUN(config, "--out", i < 2 ? impossible[i] : run_file(file, "run")), 3, "");
    }
}

TEST(folders_are_made_and_may_have_any_name)
{
    const char *folder = run_path("ein Ordner/mit Umläuten/und 'zeichen' $x = 1, \"y\"/run");
    EXPECT_RUN(0, run_tiny_config(), "--out", folder);
    ck_assert_ptr_nonnull(strstr(run_list(folder), "checkpoint.safetensors "));
    SAYS(RUN(run_tiny_config(), "--resume", "--out", folder), "finished at step 24");
}

TEST(a_relative_folder_is_taken_from_the_working_folder_and_named_after_the_config)
{
    const char *config = run_tiny_config(), *here = run_path("here");
    ck_assert_int_eq(mkdir(here, 0777), 0);
    ck_assert_int_eq(chdir(here), 0);
    EXPECT_RUN(0, config);
    ck_assert_ptr_nonnull(strstr(run_list(run_file(here, "runs/tiny")), "metrics.csv"));
}

TEST(bad_configs_get_a_line_each_and_exit_code_2)
{
    static const struct {
        const char *content, *expected[2];
    } bad[] = {
        { "[model]\nheds = 4\n", { "bad.ini:2: ", "heads" } },
        { "[model]\nheads = 3\n", { "bad.ini:2: ", NULL } },
        { "[train]\nsteps = 0\n\n[modle]\n", { "bad.ini:2: ", "bad.ini:4: " } },
        { "[task]\nname = cpy\n", { "bad.ini:2: ", "copy" } },
        { "[train]\nsteps = 10\nsteps = 20\n", { "bad.ini:3: ", NULL } },
        { "steps = 10\n", { "bad.ini:1: ", NULL } },
        { "[train]\nsteps 10\n", { "bad.ini:2: ", NULL } },
        { "[optimizer]\nlearning_rate = nan\n", { "bad.ini:2: ", NULL } },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *config = run_config("bad.ini", bad[i].content), *folder = run_path("run");
        static const char *const ways[] = { "--check", "--quiet", "--summary" };
        for (int way = 0; way < 3; way++) {
            run_result run = RUN(config, ways[way], "--out", folder);
            ck_assert_msg(run.code == 2, "%s: exit code %d", bad[i].content, run.code);
            int n_expected = bad[i].expected[1] != NULL && strncmp(bad[i].expected[1], "bad", 3) == 0 ? 2 : 1;
            ck_assert_msg(lines_of(run.err) == n_expected, "%s: %s", bad[i].content, run.err);
            for (int e = 0; e < 2 && bad[i].expected[e] != NULL; e++) {
                ck_assert_msg(strstr(run.err, bad[i].expected[e]) != NULL, "%s: %s", bad[i].content, run.err);
            }
            ck_assert_str_eq(run.out, "");
            ck_assert(!scratch_exists(folder));
        }
    }
}

TEST(bad_command_lines_get_a_line_and_exit_code_2)
{
    const char *config = run_tiny_config();
    const char *const bad[][4] = {
        { NULL },
        { "no/such/config.ini" },
        { "." },
        { config, "model.heds=4" },
        { config, "steps=4" },
        { config, "train.steps" },
        { config, "train.steps=" },
        { config, "--frobnicate" },
        { config, "-xy" },
        { config, "--out" },
        { config, "--out", "" },
        { config, "--quiet=3" },
        { config, "--resume", "--overwrite" },
        { config, "--from", "x", "--resume" },
        { config, config },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *arguments[] = { bad[i][0], bad[i][1], bad[i][2], bad[i][3], NULL };
        run_result run = run_train(arguments);
        ck_assert_msg(run.code == 2, "%zu: exit code %d: %s", i, run.code, run.err);
        ck_assert_msg(lines_of(run.err) == 1, "%zu: %s", i, run.err);
        ck_assert_str_eq(run.out, "");
    }
    ck_assert_str_eq(RUN(config, "model.heds=4").err,
                     "command line: model.heds: unknown key (did you mean \"heads\"?)\n");
    ck_assert_ptr_nonnull(strstr(RUN(config, "-xy").err, "-xy: "));
}

TEST(help_names_every_key_and_version_the_version)
{
    run_result help = OK(RUN("--help"));
    ck_assert_str_eq(help.err, "");
    static const char *const words[] = { "--resume",   "--overwrite", "--from",       "--summary", "[task]",
                                         "[patterns]", "kv_heads",    "128 + signal", "budget_mb" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ck_assert_msg(strstr(help.out, words[i]) != NULL, "%s", words[i]);
    }
    SAYS(RUN("--reference"), "`kv_heads`");
    run_result version = OK(RUN("--version"));
    ck_assert_int_eq(strncmp(version.out, "headlight ", 10), 0);
    ck_assert_int_eq(lines_of(version.out), 1);
}

TEST(checking_and_summing_up_leave_nothing)
{
    const char *config = run_tiny_config(), *here = run_path("here");
    ck_assert_int_eq(mkdir(here, 0777), 0);
    ck_assert_int_eq(chdir(here), 0);
    run_result check = OK(RUN(config, "--check"));
    ck_assert_int_eq(lines_of(check.out), 1);
    run_result summary = OK(RUN(config, "--summary"));
    ck_assert_int_gt(lines_of(summary.out), 10);
    ck_assert_str_eq(run_list(here), "");
}

TEST(a_config_may_ask_for_more_recorded_examples_than_are_validated)
{
    const char *folder = TINY_RUN("run", "train.eval_examples=3", "patterns.examples=100");
    ck_assert_ptr_nonnull(strstr(run_list(run_file(folder, "patterns")), "step_000024.npz"));
}

TEST(too_many_snapshots_for_the_budget_are_refused)
{
    const char *config = run_tiny_config();
    for (int i = 0; i < 2; i++) {
        REFUSED_SAYING(RUN(config, "train.steps=1000000", "patterns.every=1", i == 0 ? "--check" : "--quiet", "--out",
                           run_path("run")),
                       2, "tiny.ini: patterns.budget_mb = 256: 1,000,001 snapshots would take ",
                       " GiB of the 256.0 MiB allowed; raise it (0: no limit), lower "
                       "patterns.examples or record less often (patterns.every)\n");
    }
    EXPECT_RUN(0, config, "train.steps=1000000", "patterns.every=1", "patterns.budget_mb=0", "--check");
    EXPECT_RUN(0, config, "train.steps=1000000", "patterns.every=1", "patterns.examples=0", "--check");
}

TEST(a_run_tells_up_front_what_its_snapshots_take)
{
    const char *config = run_tiny_config();
    run_result run = RUN(config, "--out", run_path("one"));
    const char *line = strstr(run.out, "up to 23 snapshots of "); /* 0, 1, 2, 5, 10, 20, 24 and up to 16 more */
    ck_assert_ptr_nonnull(line);
    double each, together;
    ck_assert_int_eq(sscanf(line,
                            "up to 23 snapshots of %lf KiB, %lf KiB of the 256.0 MiB that patterns.budget_mb allows\n",
                            &each, &together),
                     2);
    ck_assert_double_eq_tol(together, 23 * each, 1.2);
    ck_assert_ptr_nonnull(strstr(run.out, "step "));
    ck_assert(line < strstr(run.out, "step "));
    SAYS(RUN(config, "patterns.budget_mb=0", "--out", run_path("two")), " KiB (patterns.budget_mb = 0: no limit)\n");
    SAYS(RUN(config, "patterns.examples=0", "--out", run_path("three")), "\nno snapshots (patterns.examples = 0)\n");
}

static void take_config_from_standard_input(void)
{
    ck_assert_ptr_nonnull(freopen(run_tiny_config(), "r", stdin));
}

TEST(a_config_can_come_from_standard_input)
{
    const char *of_file = TINY_RUN("file"), *of_input = run_path("input");
    const char *arguments[] = { "-", "--out", of_input, "--quiet", NULL };
    run_options options = { .arguments = arguments, .before = take_config_from_standard_input };
    run_result run = OK(run_with(options));
    size_t size;
    char *model = scratch_read(run_file(of_file, "model.safetensors"), &size);
    ck_assert(scratch_holds(run_file(of_input, "model.safetensors"), model, size));
    free(model);
    static const char *const looks[] = { "--check", "--summary", NULL }; /* these two write no folder */
    for (int i = 0; i < 3; i++) {
        arguments[1] = looks[i];
        arguments[2] = NULL;
        run = run_with(options);
        ck_assert_int_eq(run.code, looks[i] != NULL ? 0 : 2);
    }
    ck_assert_str_eq(run.err, "-: train.out: no folder can be named after this file: give one, by --out\n");
}

TEST(sweeps_and_benchmarks_read_their_config_several_times)
{
    static const char *const programs[] = { HL_ABLATE_PROGRAM, HL_BENCH_PROGRAM };
    for (int i = 0; i < 2; i++) {
        const char *arguments[] = { "-", i == 0 ? "--heads" : NULL, "1,2", NULL };
        REFUSED(run_with((run_options){ .arguments = arguments, .built = true, .built_program = programs[i] }), 2,
                "runs.this_program_reads_its_config_several", HL_TRAIN_PROGRAM);
    }
}

/* How many configs the folder holds, "." for configs/ itself, each of them in order. */
static int check_shipped(const char *folder)
{
    const char *path = run_shipped_config(folder), *names = run_list(path);
    int n = 0;
    for (const char *at = names; *at != '\0'; at += strcspn(at, " ") + 1) {
        const char *name = scratch_format("%.*s", (int)strcspn(at, " "), at);
        if (strstr(name, ".ini") != NULL) {
            const char *file = shipped_config_file(name);
            EXPECT_RUN(0, run_file(path, name), "--check", file != NULL ? file : "--quiet");
            n++;
        }
    }
    return n;
}

TEST(every_shipped_config_is_in_order)
{
    ck_assert_int_ge(check_shipped("."), 7);
    ck_assert_int_ge(check_shipped("shapes"), 6);
    check_shipped("bench"); /* where there is one */
}

SUITE("program")
