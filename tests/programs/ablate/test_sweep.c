/* Trainings that are begun, and how their ends are taken. */
#include "programs/ablate/sweep.h"

#include "core/files/folders.h"
#include "tests/programs/ablate/tiny_plan.h"
#include "tests/scratch.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

TEST(cores_are_divided_among_those_that_can_begin)
{
    ck_assert_int_eq(hl_ablate_sweep_threads(2, 2, 12), 1);
    ck_assert_int_eq(hl_ablate_sweep_threads(2, 2, 1), 2);
    ck_assert_int_eq(hl_ablate_sweep_threads(1, 1, 5), 1);
    ck_assert_int_eq(hl_ablate_sweep_threads(8, 8, 3), 3);
    ck_assert_int_eq(hl_ablate_sweep_threads(5, 7, 2), 3);
    ck_assert_int_eq(hl_ablate_sweep_threads(2, 6, 1), 2);
    ck_assert_int_eq(hl_ablate_sweep_threads(2, 1, 9), 2); /* --jobs 1 */
    ck_assert_int_eq(hl_ablate_sweep_threads(0, 3, 9), 1); /* more jobs than cores */
    ck_assert_int_eq(hl_ablate_sweep_threads(-4, 3, 9), 1);
    ck_assert_int_eq(hl_ablate_sweep_threads(1000, 1, 1), 64);
}

enum { CELLS = 3 };

/* Runs a sweep of 1, 2 and 4 heads, each "trained" by this script, one at a time, in the order of the table; `prepare`
 * is called when its folder is open. Returns what it told. */
static const char *sweep_with(const char *script, void (*prepare)(const char *folder), hl_ablate_result results[CELLS],
                              hl_status *status)
{
    hl_ablate_plan *plan = tiny_plan("1,2,4", 1);
    ck_assert_int_eq(hl_ablate_plan_cells(plan), CELLS);
    hl_ablate_folder folder;
    CHECK_OK(hl_ablate_folder_open(&folder, plan, "ablate", false, NULL));
    hl_ablate_folder_leave(&folder);
    if (prepare != NULL) {
        prepare(plan->folder);
    }
    const char *train = run_path("train.sh");
    scratch_write(train, script, strlen(script));
    ck_assert_int_eq(chmod(train, 0700), 0);
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    *status = hl_ablate_sweep_run(&(hl_ablate_sweep){
        .plan = plan, .folder = &folder, .results = results, .target = 0.5, .train = train, .jobs = 1, .out = out });
    static char told[4096];
    rewind(out);
    told[fread(told, 1, sizeof told - 1, out)] = '\0';
    fclose(out);
    hl_ablate_folder_close(&folder);
    return told;
}

/* Writes the metrics of a training of 24 steps into the folder after --out; a second one fails. */
#define SCRIPT                                                                                                  \
    "#!/bin/sh\nwhile [ \"$1\" != --out ]; do shift; done\ncase $2 in *heads=2*) echo no luck; exit 1;; esac\n" \
    "printf 'step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second\\n"                             \
    "0,validation,3,0.1,,,5\\n12,validation,1,0.5,,,5\\n24,validation,0.5,0.75,,,5\\n' >\"$2/metrics.csv\"\n"

TEST(a_training_that_fails_stops_no_other)
{
    hl_ablate_result results[CELLS] = { { 0 } };
    hl_status status;
    const char *told = sweep_with(SCRIPT, NULL, results, &status);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    ck_assert(results[0].state == HL_ABLATE_DONE && results[0].steps == 24 && results[0].steps_to_target == 12);
    ck_assert(results[1].state == HL_ABLATE_FAILED && results[2].state == HL_ABLATE_DONE);
    ck_assert(results[2].accuracy == 0.75 && results[2].seconds >= 0);
    ck_assert_msg(strstr(told, "no luck") != NULL, "%s", told);
    const char *csv = run_read(run_file(run_path("sweep"), "ablation.csv")), *failed = strstr(csv, ",failed\n");
    ck_assert_msg(failed != NULL && strstr(failed, ",done\n") != NULL, "%s", csv);
}

static void block_second(const char *folder)
{
    const char *cell = run_file(folder, "heads=2,seed=1");
    ck_assert_int_eq(hl_folder_make(cell).code, HL_OK);
    scratch_write(run_file(cell, "log.txt"), "mine", 4);
}

TEST(what_stands_in_the_way_of_one_fails_it_alone)
{
    hl_ablate_result results[CELLS] = { { 0 } };
    hl_status status;
    const char *told = sweep_with(SCRIPT, block_second, results, &status);
    ck_assert_int_eq(status.code, HL_OK);
    ck_assert(results[1].state == HL_ABLATE_FAILED && results[2].state == HL_ABLATE_DONE);
    ck_assert_msg(strstr(told, "log.txt: exists already") != NULL, "%s", told);
    ck_assert_str_eq(run_list(run_file(run_path("sweep"), "heads=2,seed=1")), "log.txt ");
}

TEST(what_is_done_is_left_alone)
{
    hl_ablate_result results[CELLS] = { { 0 } };
    for (int i = 0; i < CELLS; i++) {
        results[i] = (hl_ablate_result){ .state = HL_ABLATE_DONE, .seconds = 7 };
    }
    hl_status status;
    sweep_with("#!/bin/sh\nexit 1\n", NULL, results, &status);
    CHECK_OK(status);
    ck_assert(results[2].state == HL_ABLATE_DONE && results[2].seconds == 7);
    ck_assert_str_eq(run_list(run_path("sweep")), ".lock plan.txt ");
}

TEST(why_a_program_did_not_start_is_told_of_each)
{
    hl_ablate_result results[CELLS] = { { 0 } };
    hl_status status;
    const char *told = sweep_with("#!/no/such/shell\n", NULL, results, &status);
    CHECK_OK(status);
    ck_assert(results[0].state == HL_ABLATE_FAILED && results[2].state == HL_ABLATE_FAILED);
    ck_assert_msg(strstr(told, "heads=4,seed=1  failed: ") != NULL && strstr(told, "train.sh: cannot be started: "),
                  "%s", told);
}

SUITE("ablate_sweep")
