/* What programs tell as JSON. */
#pragma once

#include "tests/runs/predict_runs.h"

static inline json_t *told(run_result run)
{
    return json_answer(run);
}

static inline double number_at(const json_t *object, const char *name)
{
    return answer_figure(object, name);
}

static inline const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Item `i` of the list that is the member of that name. */
static inline json_t *item_at(const json_t *object, const char *name, size_t i)
{
    return json_array_get(json_object_get(object, name), i);
}
