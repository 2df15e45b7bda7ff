/* What programs tell as JSON, which goes at the end of the test. */
#pragma once

#include "tests/runs/predict_runs.h"

static inline void release_json(void *json)
{
    json_decref(json);
}

static inline json_t *told(run_result run)
{
    return scratch_own(json_answer(run), release_json);
}

static inline double number_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    ck_assert_msg(json_is_number(value), "%s is no number", name);
    return json_number_value(value);
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
