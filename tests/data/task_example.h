/* One example of a task in arrays of exactly its size, so that a sanitizer sees a write beside them. */
#pragma once

#include "core/base/memory.h"
#include "core/examples.h"
#include "data/task.h"
#include "tests/check_suite.h"

#include <string.h>

typedef struct sample {
    hl_example example;
    int64_t length;
} sample;

/* The arrays of the sample, one after the other; NULL after the last. */
static inline int32_t **array_of(sample *made, const hl_task *task, int i)
{
    int32_t **arrays[] = { &made->example.tokens, &made->example.targets, &made->example.sources };
    return i < 3 ? arrays[i] : task->relations[i - 3] != NULL ? &made->example.relations[i - 3] : NULL;
}

static inline sample make_sample(const hl_task_spec *spec, int64_t size, uint64_t seed)
{
    const hl_task *task = hl_task_find(spec->name);
    CHECK_OK(hl_task_check(spec));
    sample made = { .length = hl_task_n_tokens(task, spec, size) };
    int32_t **array;
    for (int i = 0; (array = array_of(&made, task, i)) != NULL; i++) {
        *array = hl_malloc((size_t)made.length * sizeof(int32_t));
        memset(*array, 0x77, (size_t)made.length * sizeof(int32_t)); /* so that what is not written shows */
    }
    hl_draw draw = { .random = { .seed = seed, .stream = 5 } };
    hl_task_make(task, spec, size, &draw, made.example);
    return made;
}

static inline void release_sample(const hl_task_spec *spec, sample made)
{
    const hl_task *task = hl_task_find(spec->name);
    int32_t **array;
    for (int i = 0; (array = array_of(&made, task, i)) != NULL; i++) {
        hl_free(*array);
    }
}
