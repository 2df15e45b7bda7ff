/* What programs tell as JSON. */
#pragma once

#include "tests/runs/predict_runs.h"

static inline json_t *told(run_result run)
{
    return json_answer(run);
}
