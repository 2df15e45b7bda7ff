#include "tests/runs/fault_cases.h"
#include "tests/runs/faulty_runs.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST                                                                                   \
    "model.layers=1", "model.d_model=4", "model.d_ff=4", "train.steps=2", "train.eval_examples=4", \
        "train.batch_size=4", "patterns.examples=1", "--heads", "1,2", "--seeds", "1", "--jobs", made.jobs

static const char *const cells[] = { "heads=1,seed=1", "heads=2,seed=1" };
static const char *const outputs[] = { "plan.txt",      "ablation.csv", "ablation.md",
                                       "ablation.html", "ablation.svg", "ablation.png" };
enum { CELLS = 2, OUTPUTS = 6 };

static struct {
    const char *config;
    const char *folder; /* where all sweeps are made, one after the other, for their files name it */
    const char *whole;  /* a copy of an undisturbed one */
    const char *jobs;
    bool done; /* whether the sweep that is disturbed finds its trainings done */
} made;

static run_result run_undisturbed(void)
{
    return ABLATE(made.config, SMALLEST, "--out", made.folder, "--json", run_path("sweep.json"));
}

static void make(const char *jobs, bool done)
{
    made.jobs = jobs;
    made.config = run_tiny_config();
    made.folder = run_path("sweep");
    made.whole = run_path("whole");
    made.done = done;
    for (int i = 0; i < 2; i++) { /* the second one tells the seconds as ablation.csv holds them: rounded */
        run_result run = run_undisturbed();
        ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    }
    scratch_copy(made.folder, made.whole);
}

/* Compares everything; with or without the seconds that the trainings took. */
static void assert_complete(bool same_seconds, const char *failing)
{
    ck_assert_str_eq(sweep_untimed(made.folder), sweep_untimed(made.whole));
    for (int i = 0; i < CELLS; i++) {
        run_assert_same(run_file(made.whole, cells[i]), run_file(made.folder, cells[i]));
    }
    ck_assert_str_eq(run_list(made.folder), run_list(made.whole));
    for (int i = 0; i < OUTPUTS; i++) {
        bool timed =
            strcmp(outputs[i], "plan.txt") != 0 && strstr("ablation.csv ablation.md ablation.html", outputs[i]);
        size_t size;
        char *bytes = scratch_read(run_file(made.whole, outputs[i]), &size);
        ck_assert_ptr_nonnull(bytes);
        if (same_seconds || !timed) {
            ck_assert_msg(scratch_holds(run_file(made.folder, outputs[i]), bytes, size), "%s: %s differs", failing,
                          outputs[i]);
        }
        free(bytes);
    }
}

static void assert_nothing_damaged(const faulty_result *result)
{
    faulty_assert_no_temporary(made.folder, result);
    for (int i = 0; i < CELLS; i++) {
        faulty_assert_no_temporary(run_file(made.folder, cells[i]), result);
        if (made.done) {
            run_assert_same(run_file(made.whole, cells[i]), run_file(made.folder, cells[i]));
        }
    }
}

static bool attempt(faulty_fault fault)
{
    scratch_remove(made.folder);
    if (made.done) {
        scratch_copy(made.whole, made.folder);
    }
    const char *arguments[] = { made.config, SMALLEST, "--out", made.folder, "--json", run_path("sweep.json"), NULL };
    faulty_result result = faulty_run(fault, (run_options){ .arguments = arguments, .program = sweep_program });
    assert_nothing_damaged(&result);
    if (result.run.code != 0) {
        run_result again = run_undisturbed();
        ck_assert_msg(again.code == 0, "%s: exit code %d: %s", result.failing, again.code, again.err);
    }
    /* A training that was reported as failed has no seconds. */
    bool failed = strstr(result.run.out, "  failed: ") != NULL;
    assert_complete(made.done && !failed, result.failing);
    return result.reached;
}

void fault_cases_sweep(int stride, bool done, faulty_where where)
{
    make("2", done);
    faulty_runs(done ? "a sweep whose trainings are done" : "a sweep", where, stride, attempt);
}

void fault_cases_sweep_one_by_one(void)
{
    make("1", false);
    int n = 1;
    while (attempt((faulty_fault){ .call = FAULTS_RENAME, .n = n })) {
        n++;
    }
    ck_assert_int_gt(n, CELLS);
}
