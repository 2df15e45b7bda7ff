/* The folder of a sweep and those of its cells: what is made, gone on with, refused and replaced. */
#include "programs/ablate/folder.h"

#include "core/files/folders.h"
#include "tests/messages.h"
#include "tests/programs/ablate/tiny_plan.h"
#include "tests/scratch.h"

#include <string.h>
#include <unistd.h>

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
    hl_ablate_plan *plan = tiny_plan("2,4", 1), *other = tiny_plan("2,8", 1);
    CHECK_OK(open_with(plan, "ablate one", false));
    const char *text = run_read(run_file(plan->folder, "plan.txt"));
    ck_assert_msg(strncmp(text, "# Made by: ablate one\n# Format: 1\n\n", 34) == 0, "%s", text);
    CHECK_OK(open_with(plan, "ablate two", false));
    ck_assert_str_eq(run_read(run_file(plan->folder, "plan.txt")), text);
    message_check(open_with(other, "ablate two", false), HL_INVALID, "ablate.this_folder_holds_another_sweep_by");
    CHECK_OK(open_with(other, "ablate two", true));
    ck_assert_str_ne(run_read(run_file(plan->folder, "plan.txt")), text);
}

TEST(calls_of_one_sweep_are_at_work_together_and_nobody_overwrites_it)
{
    hl_ablate_plan *plan = tiny_plan("2,4", 1), *other = tiny_plan("2,8", 1);
    hl_ablate_folder first, second;
    CHECK_OK(hl_ablate_folder_open(&first, plan, "ablate", false, NULL));
    hl_ablate_folder_leave(&first);
    CHECK_OK(hl_ablate_folder_open(&second, plan, "ablate", false, NULL));
    hl_ablate_folder_leave(&second);
    ck_assert_int_eq(open_with(other, "ablate", false).code, HL_INVALID);
    hl_ablate_folder_close(&first);
    hl_status status = open_with(other, "ablate", true); /* the second one is still there */
    ck_assert(status.code == HL_BAD_FILE && strstr(status.text, "is at work in this folder") != NULL);
    hl_ablate_folder_close(&second);
    CHECK_OK(open_with(other, "ablate", true));
}

TEST(a_cell_is_one_calls_until_it_and_its_training_let_go)
{
    hl_ablate_plan *plan = tiny_plan("2,4", 1);
    int first, second, training;
    CHECK_OK(hl_ablate_cell_take(plan, 0, &first));
    ck_assert_int_ge(first, 0);
    CHECK_OK(hl_ablate_cell_take(plan, 0, &second));
    ck_assert_int_eq(second, -1);
    training = dup(first);
    close(first);
    ck_assert(hl_ablate_cell_take(plan, 0, &second).code == HL_OK && second == -1);
    close(training);
    ck_assert(hl_ablate_cell_take(plan, 0, &second).code == HL_OK && second >= 0);
    close(second);
    hl_ablate_folder folder; /* a call that was killed when it had just taken a cell is no obstacle */
    CHECK_OK(hl_ablate_folder_open(&folder, plan, "ablate", false, NULL));
    hl_ablate_folder_close(&folder);
}

TEST(a_plan_of_a_newer_format_or_with_more_behind_it_is_refused)
{
    static const struct {
        const char *head, *end;
        size_t more;
        const char *message; /* NULL: it is gone on with */
    } cases[] = {
        { "# Made by: ablate\n# Format: 1\n", "", 0, NULL },
        { "# Made by: ablate\n", "", 0, NULL }, /* by a Headlight that did not say */
        { "# Made by: ablate\n# Format: 99\n", "", 0, "ablate.format_99_this_headlight_reads_up" },
        { "# Made by: ablate\n# Format: 1\n", "\0more", 5, "ablate.not_the_plan_of_a_sweep" },
    };
    hl_ablate_plan *plan = tiny_plan("2", 1);
    CHECK_OK(open_with(plan, "ablate", false));
    const char *path = run_file(plan->folder, "plan.txt"), *rest = strstr(run_read(path), "\n\n") + 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_text text = { 0 };
        hl_text_print(&text, "%s%s", cases[i].head, rest);
        hl_text_add(&text, cases[i].end, cases[i].more);
        scratch_write(path, text.bytes, text.size);
        hl_text_free(&text);
        hl_status status = open_with(plan, "ablate", false);
        if (cases[i].message == NULL) {
            CHECK_OK(status);
        } else {
            message_check(status, HL_BAD_FILE, cases[i].message);
        }
    }
}

/* Nothing is changed by what is refused. */
TEST(files_of_others_are_refused_by_name_and_replaced_on_demand)
{
    hl_ablate_plan *plan = tiny_plan("2,4", 1);
    const char *cell = hl_ablate_plan_path(plan, 1).text, *log = run_file(cell, "log.txt");
    CHECK_OK(hl_folder_make(plan->folder));
    put(plan->folder, "ablation.csv", "mine");
    message_check(open_with(plan, "ablate", false), HL_INVALID, "ablate.is_there_already_and_no_plan");
    ck_assert_str_eq(run_list(plan->folder), "ablation.csv ");
    CHECK_OK(open_with(plan, "ablate", true));
    ck_assert(!scratch_exists(run_file(plan->folder, "ablation.csv")));

    CHECK_OK(hl_folder_make(cell));
    put(cell, "log.txt", "mine");
    put(cell, "notes.txt", "mine");
    message_check(open_with(plan, "ablate", false), HL_INVALID, "ablate.is_there_already_and_a_training");
    CHECK_OK(open_with(plan, "ablate", true));
    ck_assert(!scratch_exists(log) && scratch_exists(run_file(cell, "notes.txt")));
}

TEST(a_cell_keeps_the_config_that_it_began_with)
{
    hl_ablate_plan *plan = tiny_plan("2,4", 1), *other = tiny_plan("2,8", 1);
    const char *cell = hl_ablate_plan_path(plan, 1).text, *theirs = hl_ablate_plan_path(other, 1).text;
    CHECK_OK(hl_folder_make(plan->folder));
    ck_assert_int_eq(hl_ablate_cell_check(plan, 1).code, HL_INVALID); /* none yet */
    CHECK_OK(hl_folder_make(cell));
    CHECK_OK(hl_ablate_cell_prepare(plan, 1));
    ck_assert_str_eq(run_list(cell), "config.ini ");
    CHECK_OK(hl_ablate_cell_prepare(plan, 1));
    CHECK_OK(hl_ablate_cell_check(plan, 1));

    CHECK_OK(hl_folder_make(theirs));
    CHECK_OK(hl_ablate_cell_prepare(other, 1));
    put(cell, "config.ini", run_read(run_file(theirs, "config.ini")));
    message_check(hl_ablate_cell_prepare(plan, 1), HL_BAD_FILE, "ablate.is_of_a_training_with_other");
}

SUITE("ablate_folder")
