/* Whole sweeps: what they leave, and what happens when they are ended, by whatever force, and begun again. */
#define _DEFAULT_SOURCE /* flock */
#include "tests/check_suite.h"
#include "tests/control_files.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"
#include "train/footprint.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
        n++;
    }
    return n;
}

/* ---- what it leaves ---- */

TEST(a_sweep_leaves_a_table_files_and_ordinary_runs)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep"), *single = run_path("single");
    run_result run = OK(ABLATE(config, "--heads", "1,2", "--seeds", "2", "--target", "0.25", "--out", folder));
    ck_assert_str_eq(run.err, "");
    ck_assert_str_eq(run_list(folder),
                     ".lock ablation.csv ablation.html ablation.md ablation.png ablation.svg "
                     "births.csv heads=1,seed=1 heads=1,seed=2 heads=2,seed=1 heads=2,seed=2 plan.txt ");
    ck_assert_int_eq(count(sweep_csv(folder), "\n"), 5);
    ck_assert_int_eq(count(sweep_csv(folder), ",done\n"), 4);
    CHECK_HOLDS(run.out, "\nbase  2    8    8  ", "steps to 25%");
    ck_assert_int_eq(count(run.out, "begins, "), 4);
    ck_assert_int_eq(count(run_read(run_file(folder, "ablation.html")), "data:image/png"), 4);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "ablation.md")), "| base | 2 | 8 | 8 |"));

    EXPECT_RUN(0, config, "model.heads=1", "train.seed=2", "--out", single);
    const char *cell = run_file(folder, "heads=1,seed=2");
    run_assert_same(single, cell);
    double loss, accuracy;
    run_last_row(single, "validation", &loss, &accuracy);
    const char *figures = scratch_format(",24,%.9g,", loss);
    const char *row = strstr(sweep_csv(folder), "\nheads=1,2,1,");
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_nonnull(strstr(row, figures));
    ck_assert(strstr(row, figures) < strchr(row + 1, '\n'));
}

/* A label is born where it first stays: computed here from the labels of each snapshot, which `heads --step` prints. */
static int64_t born_at(const char *folder, const char *label, const int64_t *steps, int n)
{
    int64_t born = -1;
    for (int i = 0; i < n; i++) {
        const char *table = OK(HEADS(folder, "--json", "--step", scratch_format("%d", (int)steps[i]))).out;
        bool there = strstr(table, scratch_format("\"label\": \"%s\"", label)) != NULL;
        born = !there ? -1 : born >= 0 ? born : steps[i];
    }
    return born;
}

TEST(births_are_counted_over_the_seeds)
{
    static const int64_t steps[] = { 0, 100, 200, 300 };
    const char *folder = run_path("sweep");
    const char *config =
        run_config("markov.ini", "[task]\nname = markov\nsymbols = 3\nlength = 40\n[model]\nlayers = 2\n"
                                 "d_model = 16\nheads = 1\nfeed_forward = none\npositions = rotary\n"
                                 "[optimizer]\nlearning_rate = 0.01\nschedule = constant\n[train]\n"
                                 "steps = 300\nbatch_size = 32\neval_every = 0\n[patterns]\nevery = 100\n"
                                 "examples = 8\n");
    OK(ABLATE(config, "--vary", "model.layers=1,2", "--seeds", "3", "--out", folder));
    const char *csv = run_read(run_file(folder, "births.csv"));
    ck_assert_int_eq(strncmp(csv, "cell,layers,label,runs,born,first,median,last\n", 46), 0);
    int rows = 0;
    for (const char *line = strchr(csv, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1, rows++) {
        char cell[32], label[64];
        int layers, runs, born, n = 0;
        ck_assert_int_eq(sscanf(line, "%31[^,],%d,%63[^,],%d,%d,%n", cell, &layers, label, &runs, &born, &n), 5);
        ck_assert_int_eq(runs, 3);
        int64_t first = INT64_MAX, last = -1;
        int found = 0;
        for (int seed = 1; seed <= 3; seed++) {
            int64_t step =
                born_at(run_file(folder, scratch_format("layers=%d,seed=%d", layers, seed)), label, steps, 4);
            found += step >= 0;
            first = step >= 0 && step < first ? step : first;
            last = step > last ? step : last;
        }
        ck_assert_int_eq(found, born);
        char figures[64] = ",,\n";
        if (born > 0) {
            int64_t said[3];
            ck_assert_int_eq(sscanf(line + n, "%" SCNd64 ",%" SCNd64 ",%" SCNd64, &said[0], &said[1], &said[2]), 3);
            ck_assert(said[0] == first && said[2] == last && said[1] >= first && said[1] <= last);
        } else {
            ck_assert_int_eq(strncmp(line + n, figures, 3), 0);
        }
    }
    ck_assert_int_ge(rows, 2);
    ck_assert_int_eq(rows % 2, 0); /* a row for each variant */
    SAYS(ABLATE(config, "--vary", "model.layers=1,2", "--seeds", "3", "--out", folder), "median step");
    ck_assert_str_eq(run_read(run_file(folder, "births.csv")), csv);
    SAYS(ABLATE(run_tiny_config(), "patterns.examples=0", "--heads", "1", "--seeds", "1", "--out", run_path("bare")),
         "No head has earned a label");
}

TEST(any_number_of_jobs_gives_the_same_results)
{
    const char *config = run_tiny_config(), *one = run_path("one"), *four = run_path("four");
    OK(ABLATE(config, "--heads", "2,4", "--seeds", "2", "--jobs", "1", "--out", one));
    OK(ABLATE(config, "--heads", "2,4", "--seeds", "2", "--jobs", "4", "--out", four));
    ck_assert_str_eq(sweep_untimed(one), sweep_untimed(four));
}

static char limit[32];

/* Of the sweep: its trainings see the machine as it is. */
static int program_in_container(int argc, char **argv, FILE *out, FILE *err)
{
    static const control_file files[] = { { "/sys/fs/cgroup/memory.max", limit },
                                          { "/sys/fs/cgroup/memory.current", "0\n" },
                                          { NULL, NULL } };
    control_files_begin(files);
    return sweep_program(argc, argv, out, err);
}

/* Whether one training ended before the next one began. */
static bool one_by_one(const char *config, size_t memory)
{
    const char *folder = run_path(memory > 0 ? "narrow" : "wide");
    const char *arguments[] = { config, "--heads", "1,2", "--seeds", "1", "--jobs", "2", "--out", folder, NULL };
    snprintf(limit, sizeof limit, memory > 0 ? "%zu\n" : "max\n", memory);
    run_result run = OK(run_with((run_options){ .arguments = arguments, .program = program_in_container }));
    const char *first = strstr(run.out, "begins, "), *second = strstr(first + 1, "begins, ");
    ck_assert_ptr_nonnull(second);
    const char *ended = strstr(first, "[1/2] ");
    ck_assert_msg(ended != NULL, "%s", run.out);
    return ended < second;
}

TEST(trainings_that_have_no_memory_together_go_one_after_the_other)
{
    const char *path = run_tiny_config();
    hl_config config;
    hl_problems problems = { 0 };
    hl_footprint needed;
    CHECK_OK(hl_config_load((hl_config_options){ .path = path }, &config, &problems));
    CHECK_OK(hl_footprint_of_config(&config, &needed));
    ck_assert(one_by_one(path, needed.total / 2 * 3));
    ck_assert(!one_by_one(path, 0));
}

TEST(a_sweep_with_a_training_too_large_for_its_container_is_refused_before_the_first)
{
    const char *folder = run_path("sweep");
    const char *arguments[] = { run_tiny_config(), "--heads", "1,2", "--seeds", "1", "--out", folder, NULL };
    snprintf(limit, sizeof limit, "%d\n", 1 << 20);
    run_result run = REFUSED_SAYING(run_with((run_options){ .arguments = arguments, .program = program_in_container }),
                                    5, "heads=1: the run needs about ");
    ck_assert_ptr_null(strstr(run.out, "begins"));
    ck_assert_str_eq(run_list(folder), ".lock plan.txt ");
}

/* ---- ended and begun again ---- */

/* Long enough to be disturbed; so many trainings at a time. */
#define SLOW(jobs)                                                                             \
    run_tiny_config(), "train.steps=1500", "train.checkpoint_every=20", "train.log_every=100", \
        "patterns.every=100000", "train.eval_every=0", "--heads", "1,2", "--seeds", "2", "--jobs", jobs

/* The folder of one that nothing disturbed. */
static const char *straight_sweep(void)
{
    const char *arguments[] = { SLOW("1"), NULL };
    return run_shared("straight sweep", (run_options){ .arguments = arguments, .program = sweep_program });
}

static ino_t checkpoint_of(const char *cell)
{
    struct stat info;
    return stat(run_file(cell, "checkpoint.safetensors"), &info) == 0 ? info.st_ino : 0;
}

/* Waits until one training is done and the next one, in `second`, has a checkpoint. */
static void wait_for_second(const char *folder, const char *second)
{
    for (int i = 0; i < 4000 && (strstr(sweep_csv(folder), ",done\n") == NULL || checkpoint_of(second) == 0); i++) {
        run_pause(2);
    }
    ck_assert_int_eq(count(sweep_csv(folder), ",done\n"), 1);
    ck_assert(checkpoint_of(second) != 0);
}

static int count_processes(const char *text, pid_t but)
{
    pid_t one;
    return sweep_processes(text, but, &one);
}

static void expect_same(const char *folder, const char *straight)
{
    ck_assert_str_eq(sweep_untimed(folder), sweep_untimed(straight));
    run_assert_same_results(run_file(straight, "heads=1,seed=2"), run_file(folder, "heads=1,seed=2"));
}

TEST(killed_it_goes_on_and_repeats_nothing)
{
    const char *folder = run_path("sweep"), *arguments[] = { SLOW("1"), "--out", folder, NULL };
    const char *first = run_file(folder, "heads=1,seed=1"), *second = run_file(folder, "heads=1,seed=2");
    pid_t process = sweep_start(arguments);
    wait_for_second(folder, second);
    ck_assert_int_eq(count_processes(second, process), 1);
    kill(process, SIGKILL);
    ck_assert_int_eq(run_wait(process).code, RUN_KILLED + SIGKILL);
    for (int i = 0; i < 500 && count_processes(second, process) > 0; i++) {
        run_pause(2);
    }
    ck_assert_int_eq(count_processes(second, process), 0); /* its trainings died with it */
    ck_assert_ptr_null(strstr(run_metrics(second), "\n1500,"));
    ino_t before = checkpoint_of(first);

    run_result run =
        SAYS(sweep_run(arguments), "1 of 4 trainings are done already\n", "heads=1,seed=2  goes on after step ");
    ck_assert_ptr_null(strstr(run.out, "heads=1,seed=1"));
    ck_assert(checkpoint_of(first) == before);
    expect_same(folder, straight_sweep());

    SAYS(sweep_run(arguments), "4 of 4 trainings are done already\n", "\nbase  2 "); /* the table again */
    ck_assert(checkpoint_of(first) == before);
}

TEST(a_signal_saves_and_ends_all)
{
    const char *folder = run_path("sweep"), *second = run_file(folder, "heads=1,seed=2");
    const char *arguments[] = { SLOW("1"), "--out", folder, NULL };
    pid_t process = sweep_start(arguments);
    wait_for_second(folder, second);
    kill(process, SIGINT);
    run_result run = run_wait(process);
    ck_assert_int_eq(run.code, 128 + SIGINT);
    ck_assert_str_eq(run.err, "interrupted: the trainings finish their steps and save; again to end at once\n"
                              "interrupted: 1 of 4 trainings are done, the others saved; the same command continues\n");
    ck_assert_ptr_nonnull(strstr(run_read(run_file(second, "log.txt")), "interrupted after step"));
    ck_assert_int_eq(count(run.out, "failed") + count(sweep_csv(folder), "failed"), 0);
    ck_assert_int_eq(count_processes(folder, process), 0);
    OK(sweep_run(arguments));
    expect_same(folder, straight_sweep());
}

/* None waits to be begun when the signal comes. */
TEST(a_signal_ends_a_sweep_whose_trainings_have_all_begun)
{
    const char *folder = run_path("sweep"), *arguments[] = { SLOW("4"), "--out", folder, NULL };
    arguments[1] = "train.steps=100000";
    pid_t process = sweep_start(arguments);
    for (int i = 0; i < 4000 && checkpoint_of(run_file(folder, "heads=2,seed=2")) == 0; i++) {
        run_pause(2);
    }
    kill(process, SIGINT);
    FAILS(run_wait(process), 128 + SIGINT, "runs.interrupted_the_trainings_finish_their_steps");
    ck_assert(!scratch_exists(run_file(folder, "ablation.html")));
}

/* ---- what goes wrong ---- */

/* Snapshots of longer sequences do not fit into patterns.budget_mb, which a training alone finds out. */
TEST(a_failed_training_is_told_and_stops_no_other)
{
    const char *folder = run_path("sweep");
    const char *arguments[] = { run_tiny_config(),
                                "patterns.budget_mb=1",
                                "patterns.every=1",
                                "patterns.examples=10",
                                "--vary",
                                "task.length=200,3,4",
                                "--seeds",
                                "1",
                                "--out",
                                folder,
                                NULL };
    run_result run = FAILS(sweep_run(arguments), 1, "runs.of_3_trainings_failed_why_see");
    TELLS(run, 1, "length=200,seed=1  failed: ", "patterns.budget_mb", "length=200,seed=1/log.txt)\n",
          "Failed and left out: length=200,seed=1\n");
    ck_assert_int_eq(count(sweep_csv(folder), ",done\n"), 2);
    const char *row = strstr(sweep_csv(folder), "\nlength=200,1,200,");
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_nonnull(strstr(row, ",,,,,,,failed\n"));

    run = TELLS(sweep_run(arguments), 1, "begins, "); /* tries that one again */
    ck_assert_int_eq(count(run.out, "begins, "), 1);
}

static void write_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

/* A row of ablation.csv is believed only of the training that it was of. */
TEST(under_another_plan_a_folder_tells_no_results_of_its_runs)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep"), *other = run_path("other");
    const char *first = run_file(folder, "heads=1,seed=1"), *plan = run_file(folder, "plan.txt");
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder));
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "train.steps=30", "--out", other));
    ino_t before = checkpoint_of(first);
    const char *own = run_read(plan);
    write_text(plan, run_read(run_file(other, "plan.txt")));
    run_result run = ABLATE(config, "--heads", "1", "--seeds", "1", "train.steps=30", "--out", folder);
    ck_assert_int_eq(run.code, 1);
    ck_assert_ptr_null(strstr(run.out, "done already"));
    ck_assert_int_eq(count(run.out, "config.ini: is of a training with other settings"), 2);
    ck_assert_int_eq(count(sweep_csv(folder), ",failed\n"), 2);
    ck_assert(checkpoint_of(first) == before);

    write_text(plan, own);
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder)); /* the runs are there all the same */
    ck_assert_int_eq(count(sweep_csv(folder), ",24,"), 2);
    ck_assert(checkpoint_of(first) == before);

    unlink(run_file(first, "config.ini")); /* its checkpoint tells whose the files are */
    SAYS(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder), "1 of 2 trainings are done already\n");
    ck_assert(checkpoint_of(first) == before);
}

static const char *last_line(const char *text)
{
    const char *line = text;
    for (const char *end; (end = strchr(line, '\n')) != NULL && end[1] != '\0';) {
        line = end + 1;
    }
    return line;
}

/* What a done training left is believed only where it goes to the end, and its checkpoint knows it. */
TEST(metrics_that_lost_gained_or_changed_rows_are_no_result)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep");
    const char *metrics = run_file(run_file(folder, "heads=1,seed=1"), "metrics.csv");
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder));
    const char *whole = run_read(metrics), *row = strchr(whole, '\n') + 1;
    const char *told[] = { "metrics.csv: has lost rows of this run", "step 5 after step 24",
                           "metrics.csv: the first " };
    const char *more[] = { "", "5,validation,0.1,1,,,1\n", "24,validation,0.1,1,,,1\n" };
    size_t sizes[] = { (size_t)(strchr(row, '\n') + 1 - whole), strlen(whole), (size_t)(last_line(whole) - whole) };
    for (int i = 0; i < 3; i++) {
        FILE *file = fopen(metrics, "w");
        ck_assert_int_gt(fprintf(file, "%.*s%s", (int)sizes[i], whole, more[i]), 0);
        fclose(file);
        TELLS(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder), 1, "1 of 2 trainings are done already\n",
              told[i]);
        ck_assert_int_eq(count(sweep_csv(folder), ",failed\n"), 1);
        scratch_write(metrics, whole, strlen(whole));
        OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder)); /* put back, it is done again */
        ck_assert_int_eq(count(sweep_csv(folder), ",24,"), 2);
    }
}

TEST(a_training_killed_by_another_has_failed)
{
    const char *folder = run_path("sweep"), *first = run_file(folder, "heads=1,seed=1");
    const char *arguments[] = { SLOW("1"), "--out", folder, NULL };
    pid_t process = sweep_start(arguments);
    for (int i = 0; i < 4000 && checkpoint_of(first) == 0; i++) {
        run_pause(2);
    }
    pid_t training = 0;
    ck_assert_int_eq(sweep_processes(first, process, &training), 1);
    kill(training, SIGKILL);
    TELLS(run_wait(process), 1, "heads=1,seed=1  failed: killed by signal 9");
    ck_assert_int_eq(count(sweep_csv(folder), ",done\n"), 3);
    OK(sweep_run(arguments));
    expect_same(folder, straight_sweep());
}

/* What a sweep that was killed had begun may hold its folder for a moment longer. */
TEST(a_training_that_is_still_dying_is_waited_for)
{
    const char *folder = run_path("sweep"), *cell = run_file(folder, "heads=1,seed=1");
    ck_assert_int_eq(mkdir(folder, 0777) | mkdir(cell, 0777), 0);
    int lock = open(run_file(cell, ".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    ck_assert_int_eq(flock(lock, LOCK_EX), 0);
    const char *arguments[] = { run_tiny_config(), "--heads", "1", "--seeds", "1", "--out", folder, NULL };
    pid_t process =
        run_start((run_options){ .arguments = arguments, .built = true, .built_program = HL_ABLATE_PROGRAM });
    run_pause(700);
    ck_assert_int_eq(count(sweep_csv(folder), "heads=1,"), 0);
    close(lock);
    OK(run_wait(process));
    ck_assert_int_eq(count(sweep_csv(folder), ",done\n"), 2);
}

TEST(a_wrong_config_is_refused_before_anything_begins)
{
    const char *folder = run_path("sweep");
    REFUSED(ABLATE(run_tiny_config(), "--heads", "1,3", "--out", folder), 2, "runs.with_model_heads_3_model_d");
    ck_assert(!scratch_exists(folder));
    ck_assert_int_eq(ABLATE(run_path("missing.ini"), "--heads", "1").code, 2);
    ck_assert_int_eq(ABLATE(run_tiny_config()).code, 2);
}

TEST(another_plan_in_the_folder_is_refused)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep");
    const char *cell = run_file(folder, "heads=2,seed=1");
    OK(ABLATE(config, "--heads", "2", "--seeds", "1", "--out", folder));
    ino_t before = checkpoint_of(cell);
    const char *csv = sweep_csv(folder);
    REFUSED(ABLATE(config, "--heads", "2", "--seeds", "1", "train.steps=30", "--out", folder), 2,
            "runs.this_folder_holds_another_sweep_by");
    ck_assert_str_eq(sweep_csv(folder), csv);
    ck_assert(checkpoint_of(cell) == before);

    SAYS(ABLATE(config, "--heads", "2", "--seeds", "1", "--target", "0.3", "--jobs", "1", "--out", folder),
         "steps to 30%"); /* another target is another table, not another plan */
    ck_assert(checkpoint_of(cell) == before);

    OK(ABLATE(config, "--heads", "2", "--seeds", "1", "train.steps=30", "--out", folder, "--overwrite"));
    ck_assert_ptr_nonnull(strstr(run_metrics(cell), "\n30,validation,"));
    ck_assert_ptr_nonnull(strstr(sweep_csv(folder), ",30,"));
}

/* Whoever opens a pipe that nobody reads from waits for ever. */
TEST(a_pipe_in_the_place_of_a_file_is_refused)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep"), *cell = run_file(folder, "heads=1,seed=1");
    OK(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder));
    const char *log = run_file(cell, "log.txt");
    ck_assert_int_eq(unlink(log) | mkfifo(log, 0600), 0);
    ck_assert_int_eq(unlink(run_file(cell, "metrics.csv")), 0); /* the training is to be repeated */
    TELLS(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder), 1,
          "heads=1,seed=1  failed: ", "log.txt: ");
    ck_assert_int_eq(count(sweep_csv(folder), ",done\n"), 1);
    const char *other = run_path("other");
    ck_assert_int_eq(mkdir(other, 0777), 0);
    ck_assert_int_eq(mkfifo(run_file(other, ".lock"), 0600), 0);
    REFUSED(RUN(config, "--out", other), 3, "runs.is_no_regular_file_which_a");
}

static const char *said; /* where the next call writes */

static void say_apart(void)
{
    ck_assert_ptr_nonnull(freopen(said, "w", stdout));
}

/* Two calls, or three, with different jobs: each cell is trained once, by one of them. */
LOOP_TEST(calls_that_share_a_sweep_leave_what_one_alone_leaves, 2, 4)
{
    const char *folder = run_path("sweep");
    const char *const jobs[] = { "1", "2", "1" }, *const outs[] = { run_path("1"), run_path("2"), run_path("3") };
    pid_t calls[3];
    for (int i = 0; i < _i && i < 3; i++) {
        const char *arguments[] = { SLOW(jobs[i]), "--out", folder, NULL };
        said = outs[i];
        calls[i] = run_start((run_options){
            .arguments = arguments, .built = true, .built_program = HL_ABLATE_PROGRAM, .before = say_apart });
    }
    int begun = 0;
    for (int i = 0; i < _i && i < 3; i++) {
        run_result run = run_wait(calls[i]);
        const char *out = run_read(outs[i]);
        ck_assert_msg(run.code == 0, "%s%s", run.err, out);
        CHECK_HOLDS(out, "\nbase  2 ", ", in another call\n");
        begun += count(out, "begins, ");
    }
    ck_assert_int_eq(begun, 4);
    const char *straight = run_path("straight"); /* figures name the path of the config, which is each test's own */
    OK(ABLATE(SLOW("1"), "--out", straight));
    expect_same(folder, straight);
    run_assert_same_file(folder, straight, "ablation.svg");
    run_assert_same_file(folder, straight, "ablation.png");
}

TEST(help_and_version_are_told)
{
    run_result run = OK(ABLATE("--help"));
    ck_assert_int_eq(strncmp(run.out, "usage: ablate CONFIG", 20), 0);
    ck_assert_str_eq(ABLATE("--version").out, RUN("--version").out);
}

SUITE("ablate", .seconds = 60)
