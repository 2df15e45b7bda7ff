/* Plans of sweeps over the number of heads of the tiny config. */
#pragma once

#include "programs/ablate/plan.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdlib.h>

static inline void tiny_plan_release(void *plan)
{
    hl_ablate_plan_free(plan);
    free(plan);
}

/* These numbers of heads, such as "1,2,4", with so many seeds, in the folder "sweep" of the test's own. The plan stands
 * to the end of the test. */
static inline hl_ablate_plan *tiny_plan(const char *heads, int seeds)
{
    hl_ablate_command command = { .config.path = run_tiny_config(), .seeds = seeds, .row_a = true, .n_axes = 1 };
    command.axes[0] = (hl_ablate_axis){ "model.heads", heads };
    command.out = run_path("sweep");
    hl_ablate_plan *plan = scratch_own(calloc(1, sizeof *plan), tiny_plan_release);
    CHECK_OK(hl_ablate_plan_make(&command, plan, NULL, NULL));
    return plan;
}
