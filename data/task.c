#include "data/private/task_parts.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define ENTRY(name) &hl_task_##name,
static const hl_task *const tasks[] = { HL_TASKS(ENTRY) };

enum { N_TASKS = sizeof tasks / sizeof tasks[0] };

const hl_task *hl_task_at(int i)
{
    return i >= 0 && i < N_TASKS ? tasks[i] : NULL;
}

const hl_task *hl_task_find(const char *name)
{
    for (int i = 0; i < N_TASKS; i++) {
        if (name != NULL && strcmp(tasks[i]->name, name) == 0) {
            return tasks[i];
        }
    }
    return NULL;
}

static hl_status unknown_task(const char *name)
{
    char names[256] = "";
    for (int i = 0; i < N_TASKS; i++) {
        if (i > 0) {
            strncat(names, ", ", sizeof names - strlen(names) - 1);
        }
        strncat(names, tasks[i]->name, sizeof names - strlen(names) - 1);
    }
    return hl_error(HL_INVALID, "task.name = %.64s: no such task; must be one of %s", name != NULL ? name : "", names);
}

hl_status hl_task_check(const hl_task_spec *spec)
{
    const hl_task *task = hl_task_find(spec->name);
    return task != NULL ? task->check(spec) : unknown_task(spec->name);
}

hl_data_sizes hl_task_sizes_of(const hl_task_spec *spec)
{
    const hl_task *task = hl_task_find(spec->name);
    assert(task != NULL);
    hl_task_sizes sizes = task->sizes(spec);
    int64_t V = HL_SPECIAL_TOKENS + (task->n_words != NULL ? task->n_words(spec) : spec->symbols), R = 0;
    while (task->relations[R] != NULL) {
        R++;
    }
    double mean = 0; /* every size is drawn equally often */
    for (int64_t size = sizes.smallest; size <= sizes.largest; size++) {
        mean += (double)task->n_tokens(spec, size) / (double)(sizes.largest - sizes.smallest + 1);
    }
    return (hl_data_sizes){ .vocabulary = V,
                            .targets = V,
                            .longest = task->n_tokens(spec, sizes.largest),
                            .mean = mean,
                            .answers = task->n_tokens(spec, sizes.largest),
                            .n_lengths = sizes.largest - sizes.smallest + 1,
                            .relations = R };
}
