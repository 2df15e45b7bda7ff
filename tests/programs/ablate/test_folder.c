/* The folder of a sweep and those of its cells: what is made, gone on with, refused and replaced. */
#include "programs/ablate/folder.h"

#include "core/files/folders.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <string.h>
#include <unistd.h>

/* Of two cells, in the folder "sweep". */
static hl_ablate_plan plan_of(const char *heads)
{
    hl_ablate_command command = { .config.path = run_tiny_config(), .seeds = 1, .row_a = true, .n_axes = 1 };
    command.axes[0] = (hl_ablate_axis){ "model.heads", heads };
    command.out = run_path("sweep");
    hl_ablate_plan plan;
    hl_status status = hl_ablate_plan_make(&command, &plan, NULL, NULL);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return plan;
}

/* Opens and closes it. */
static hl_status open_with(const hl_ablate_plan *plan, const char *command, bool overwrite)
{
    hl_ablate_folder folder;
    hl_status status = hl_ablate_folder_open(&folder, plan, command, overwrite, NULL);
    hl_ablate_folder_close(&folder);
    hl_ablate_folder_close(&folder);
    return status;
}

static void put(const char *folder, const char *name, const char *text)
{
    scratch_write(run_file(folder, name), text, strlen(text));
}

TEST(a_plan_is_known_again_whatever_command_made_it)
{
    hl_ablate_plan plan = plan_of("2,4"), other = plan_of("2,8");
    ck_assert_int_eq(open_with(&plan, "ablate one", false).code, HL_OK);
    const char *text = run_read(run_file(plan.folder, "plan.txt"));
    ck_assert_msg(strncmp(text, "# Made by: ablate one\n# Format: 1\n\n", 34) == 0, "%s", text);
    ck_assert_int_eq(open_with(&plan, "ablate two", false).code, HL_OK);
    ck_assert_str_eq(run_read(run_file(plan.folder, "plan.txt")), text);
    hl_status status = open_with(&other, "ablate two", false);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strstr(status.text, ": this folder holds another sweep, by: ablate one (it says \"") != NULL, "%s",
                  status.text);
    ck_assert_int_eq(open_with(&other, "ablate two", true).code, HL_OK);
    ck_assert_str_ne(run_read(run_file(plan.folder, "plan.txt")), text);
    hl_ablate_plan_free(&plan);
    hl_ablate_plan_free(&other);
}

TEST(calls_of_one_sweep_are_at_work_together_and_nobody_overwrites_it)
{
    hl_ablate_plan plan = plan_of("2,4"), other = plan_of("2,8");
    hl_ablate_folder first, second;
    ck_assert_int_eq(hl_ablate_folder_open(&first, &plan, "ablate", false, NULL).code, HL_OK);
    hl_ablate_folder_leave(&first);
    ck_assert_int_eq(hl_ablate_folder_open(&second, &plan, "ablate", false, NULL).code, HL_OK);
    hl_ablate_folder_leave(&second);
    ck_assert_int_eq(open_with(&other, "ablate", false).code, HL_INVALID);
    hl_ablate_folder_close(&first);
    hl_status status = open_with(&other, "ablate", true); /* the second one is still there */
    ck_assert(status.code == HL_BAD_FILE && strstr(status.text, "is at work in this folder") != NULL);
    hl_ablate_folder_close(&second);
    ck_assert_int_eq(open_with(&other, "ablate", true).code, HL_OK);
    hl_ablate_plan_free(&plan);
    hl_ablate_plan_free(&other);
}

TEST(a_cell_is_one_calls_until_it_and_its_training_let_go)
{
    hl_ablate_plan plan = plan_of("2,4");
    int first, second, training;
    ck_assert_int_eq(hl_ablate_cell_take(&plan, 0, &first).code, HL_OK);
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(hl_ablate_cell_take(&plan, 0, &second).code, HL_OK);
    ck_assert_int_eq(second, -1);
    training = dup(first);
    close(first);
    ck_assert(hl_ablate_cell_take(&plan, 0, &second).code == HL_OK && second == -1);
    close(training);
    ck_assert(hl_ablate_cell_take(&plan, 0, &second).code == HL_OK && second >= 0);
    close(second);
    hl_ablate_folder folder; /* a call that was killed when it had just taken a cell is no obstacle */
    ck_assert_int_eq(hl_ablate_folder_open(&folder, &plan, "ablate", false, NULL).code, HL_OK);
    hl_ablate_folder_close(&folder);
    hl_ablate_plan_free(&plan);
}

/* Nothing is changed by what is refused. */
TEST(files_of_others_are_refused_by_name_and_replaced_on_demand)
{
    hl_ablate_plan plan = plan_of("2,4");
    const char *cell = hl_ablate_plan_path(&plan, 1).text, *log = run_file(cell, "log.txt");
    ck_assert_int_eq(hl_folder_make(plan.folder).code, HL_OK);
    put(plan.folder, "ablation.csv", "mine");
    hl_status status = open_with(&plan, "ablate", false);
    ck_assert(status.code == HL_INVALID && strstr(status.text, "ablation.csv: is there already") != NULL);
    ck_assert_str_eq(run_list(plan.folder), "ablation.csv ");
    ck_assert_int_eq(open_with(&plan, "ablate", true).code, HL_OK);
    ck_assert(!scratch_exists(run_file(plan.folder, "ablation.csv")));

    ck_assert_int_eq(hl_folder_make(cell).code, HL_OK);
    put(cell, "log.txt", "mine");
    put(cell, "notes.txt", "mine");
    status = open_with(&plan, "ablate", false);
    ck_assert_msg(status.code == HL_INVALID && strstr(status.text, log) != NULL, "%s", status.text);
    ck_assert_int_eq(open_with(&plan, "ablate", true).code, HL_OK);
    ck_assert(!scratch_exists(log) && scratch_exists(run_file(cell, "notes.txt")));
    hl_ablate_plan_free(&plan);
}

TEST(a_cell_keeps_the_config_that_it_began_with)
{
    hl_ablate_plan plan = plan_of("2,4"), other = plan_of("2,8");
    const char *cell = hl_ablate_plan_path(&plan, 1).text, *theirs = hl_ablate_plan_path(&other, 1).text;
    ck_assert_int_eq(hl_folder_make(plan.folder).code, HL_OK);
    ck_assert_int_eq(hl_ablate_cell_check(&plan, 1).code, HL_INVALID); /* none yet */
    ck_assert_int_eq(hl_folder_make(cell).code, HL_OK);
    ck_assert_int_eq(hl_ablate_cell_prepare(&plan, 1).code, HL_OK);
    ck_assert_str_eq(run_list(cell), "config.ini ");
    ck_assert_int_eq(hl_ablate_cell_prepare(&plan, 1).code, HL_OK);
    ck_assert_int_eq(hl_ablate_cell_check(&plan, 1).code, HL_OK);

    ck_assert_int_eq(hl_folder_make(theirs).code, HL_OK);
    ck_assert_int_eq(hl_ablate_cell_prepare(&other, 1).code, HL_OK);
    put(cell, "config.ini", run_read(run_file(theirs, "config.ini")));
    hl_status status = hl_ablate_cell_prepare(&plan, 1);
    ck_assert(status.code == HL_BAD_FILE && strstr(status.text, "is of a training with other settings") != NULL);
    hl_ablate_plan_free(&plan);
    hl_ablate_plan_free(&other);
}

SUITE("ablate_folder")
