#include "tests/runs/fault_cases.h"

#include "tests/runs/faulty_runs.h"
#include "tests/scratch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, EVERY = 3, HALF = 6 };

/* Checkpoints fall between two rows of metrics.csv, validations and snapshots between checkpoints. */
#define SMALLEST                                                                                                 \
    "model.layers=1", "model.d_model=4", "model.heads=2", "model.d_ff=4", "train.steps=12", "train.log_every=4", \
        "train.eval_every=4", "train.eval_examples=4", "train.batch_size=4", "train.checkpoint_every=3",         \
        "train.keep_checkpoints=2", "patterns.every=6", "patterns.examples=2"

static struct {
    const char *config;
    const char *whole;                /* the folder of an undisturbed run */
    const char *ended[STEPS / EVERY]; /* of runs that ended after their 1st, 2nd, ... checkpoint */
    const char *half;                 /* the one of these that runs go on from; NULL: they begin anew */
} made;

static void make(bool resumed)
{
    made.config = run_tiny_config();
    made.whole = run_path("whole");
    EXPECT_RUN(0, made.config, SMALLEST, "--out", made.whole);
    int links = 0; /* those of best weights end no run */
    for (int i = 0; i < STEPS / EVERY - 1; i++) {
        const char *name = scratch_format("ended %d", i);
        made.ended[i] = run_path(name);
        const char *arguments[] = { made.config, SMALLEST, "--overwrite", "--out", made.ended[i], NULL };
        faulty_result end = { 0 };
        while (end.run.code == 0) {
            faulty_fault next_link = { .call = FAULTS_LINK, .n = ++links };
            end = faulty_run(next_link, (run_options){ .arguments = arguments });
            ck_assert(end.reached);
        }
        ck_assert_int_eq(end.run.code, 3);
    }
    made.ended[STEPS / EVERY - 1] = made.whole;
    made.half = resumed ? made.ended[HALF / EVERY - 1] : NULL;
}

static run_result run_to_the_end(const char *folder)
{
    return RUN(made.config, SMALLEST, "--resume", "--out", folder);
}

static const char *fresh_folder(void)
{
    const char *folder = run_path("disturbed");
    scratch_remove(folder);
    if (made.half != NULL) {
        scratch_copy(made.half, folder);
    }
    return folder;
}

/* ---- what stands afterwards ---- */

/* The file, if it is there, has the bytes of the other. */
static void assert_whole(const char *path, const char *other, const char *failing)
{
    size_t size;
    char *bytes = scratch_read(other, &size);
    ck_assert_msg(!scratch_exists(path) || (bytes != NULL && scratch_holds(path, bytes, size)), "%s: damaged %s",
                  failing, path);
    free(bytes);
}

static const char *checkpoint_of(int64_t step)
{
    ck_assert(step % EVERY == 0 && step >= EVERY && step <= STEPS);
    return run_file(made.ended[step / EVERY - 1], "checkpoint.safetensors");
}

/* The checkpoint is the one that the undisturbed run had at that step, and of no earlier step than before; so are those
 * that were kept. */
static void assert_checkpoints(const char *folder, const char *failing)
{
    const char *path = run_file(folder, "checkpoint.safetensors");
    int64_t step = run_weights_step(path);
    ck_assert_msg(step >= (made.half != NULL ? HALF : EVERY) || (made.half == NULL && !scratch_exists(path)),
                  "%s: the checkpoint is of step %d", failing, (int)step);
    if (step > 0) {
        assert_whole(path, checkpoint_of(step), failing);
    }
    for (int its = EVERY; its < STEPS; its += EVERY) {
        const char *name = scratch_format("checkpoint-%d.safetensors", its);
        assert_whole(run_file(folder, name), checkpoint_of(its), failing);
    }
}

static void assert_snapshots(const char *folder, const char *others, const char *failing)
{
    const char *list = run_list(folder);
    for (const char *at = list; *at != '\0'; at += strcspn(at, " ") + 1) {
        const char *name = scratch_format("%.*s", (int)strcspn(at, " "), at);
        if (strstr(name, ".tmp") == NULL) {
            assert_whole(run_file(folder, name), run_file(others, name), failing);
        }
    }
}

static void assert_nothing_damaged(const char *folder, const char *failing)
{
    assert_checkpoints(folder, failing);
    assert_snapshots(run_file(folder, "patterns"), run_file(made.whole, "patterns"), failing);
    assert_whole(run_file(folder, "vocab.txt"), run_file(made.whole, "vocab.txt"), failing);
    run_weights_step(run_file(folder, "model.safetensors")); /* fails the test where it is damaged */
    size_t size;
    char *page = scratch_read(run_file(folder, "report.html"), &size);
    ck_assert_msg(page == NULL || strstr(page, "</html>") != NULL, "%s: damaged report.html", failing);
    free(page);
}

/* All that a run that ended well leaves. */
static void assert_complete(const char *folder)
{
    run_assert_same(made.whole, folder);
    ck_assert_str_eq(run_list(made.whole), run_list(folder));
    ck_assert_str_eq(run_read(run_file(made.whole, "heads.csv")), run_read(run_file(folder, "heads.csv")));
}

/* ---- every fault ---- */

static bool attempt(faulty_fault fault)
{
    const char *folder = fresh_folder();
    const char *arguments[] = {
        made.config, SMALLEST, "--out", folder, made.half != NULL ? "--resume" : "--quiet", NULL
    };
    faulty_result result = faulty_run(fault, (run_options){ .arguments = arguments });
    faulty_assert_no_temporary(folder, &result);
    assert_nothing_damaged(folder, result.failing);
    if (result.run.code != 0) {
        run_result end = run_to_the_end(folder);
        ck_assert_msg(end.code == 0, "%s: cannot be resumed: exit code %d: %s", result.failing, end.code, end.err);
    }
    assert_complete(folder);
    return result.reached;
}

void fault_cases_run(int stride, bool resumed, faulty_where where)
{
    make(resumed);
    faulty_runs(resumed ? "a resumed run" : "a run", where, stride, attempt);
}
