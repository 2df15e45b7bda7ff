/* Every task is solved by its config. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/runs/shipped_configs.h"

LOOP_TEST(a_task_is_solved_by_its_config, 0, SHIPPED_CONFIGS)
{
    const shipped_config *shipped = &shipped_configs[_i];
    const char *folder = run_path("run");
    OK(RUN_BUILT(run_shipped_config(shipped->name), "--out", folder, shipped->file != NULL ? shipped->file : "--quiet",
                 shipped->steps != NULL ? shipped->steps : "--quiet"));
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    ck_assert_msg(accuracy >= shipped->accuracy, "%s: accuracy %g", shipped->name, accuracy);
}

/* Per-layer widths and every number of heads of the ablation, on the copy task at full length. */
LOOP_TEST(the_copy_task_is_solved_with_any_heads, 0, 4)
{
    static const char *const heads[][3] = {
        { "model.heads=1", "--quiet", "--quiet" },
        { "model.heads=2", "--quiet", "--quiet" },
        { "model.heads=8", "--quiet", "--quiet" },
        { "model.heads=4, 2", "model.d_k=8, 24", "model.d_v=12, 20" },
    };
    const char *folder = run_path("run");
    OK(RUN_BUILT(run_shipped_config("copy_task.ini"), heads[_i][0], heads[_i][1], heads[_i][2], "--out", folder));
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    ck_assert_msg(accuracy >= 0.999, "%s: accuracy %g", heads[_i][0], accuracy);
}

SUITE("configs", .seconds = 600)
