#include "core/examples.h"
#include "data/private/task_parts.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define ENTRY(name) &hl_task_##name,
static const hl_task *const tasks[] = { HL_TASKS(ENTRY) };

#define NAME(name) ", " #name
static const char names[] = HL_TASKS(NAME);

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

hl_status hl_task_check(const hl_task_spec *spec)
{
    const hl_task *task = hl_task_find(spec->name);
    if (task == NULL) {
        return hl_error(HL_INVALID, "task.name = %.64s: no such task; must be one of %s",
                        spec->name != NULL ? spec->name : "", names + strlen(", "));
    }
    return task->check != NULL ? task->check(spec) : hl_sequence_check(spec);
}

hl_data_sizes hl_task_sizes_of(const hl_task_spec *spec)
{
    const hl_task *task = hl_task_find(spec->name);
    assert(task != NULL);
    hl_task_sizes sizes = hl_task_range(task, spec);
    int64_t V = HL_SPECIAL_TOKENS + (task->n_words != NULL ? task->n_words(spec) : spec->symbols), R = 0;
    while (task->relations[R] != NULL) {
        R++;
    }
    double mean = 0; /* every size is drawn equally often */
    for (int64_t size = sizes.smallest; size <= sizes.largest; size++) {
        mean += (double)hl_task_n_tokens(task, spec, size) / (double)(sizes.largest - sizes.smallest + 1);
    }
    return (hl_data_sizes){ .vocabulary = V,
                            .targets = V,
                            .longest = hl_task_n_tokens(task, spec, sizes.largest),
                            .mean = mean,
                            .answers = hl_task_n_tokens(task, spec, sizes.largest),
                            .n_lengths = sizes.largest - sizes.smallest + 1,
                            .relations = R };
}

hl_task_sizes hl_task_range(const hl_task *task, const hl_task_spec *spec)
{
    return task->is_of_pairs ? (hl_task_sizes){ spec->pairs, spec->pairs }
                             : (hl_task_sizes){ spec->min_length, spec->length };
}

int64_t hl_task_n_tokens(const hl_task *task, const hl_task_spec *spec, int64_t size)
{
    return task->n_tokens != NULL ? task->n_tokens(spec, size) : size;
}

void hl_task_make(const hl_task *task, const hl_task_spec *spec, int64_t size, hl_draw *draw, hl_example example)
{
    size_t bytes = (size_t)hl_task_n_tokens(task, spec, size) * sizeof(int32_t);
    memset(example.targets, HL_IGNORE, bytes); /* every byte of -1 is -1 */
    memset(example.sources, HL_IGNORE, bytes);
    for (int r = 0; task->relations[r] != NULL; r++) {
        memset(example.relations[r], HL_IGNORE, bytes);
    }
    task->make(spec, size, draw, example);
}

hl_status hl_task_vocabulary(const hl_task_spec *spec, hl_vocabulary **out)
{
    const hl_task *task = hl_task_find(spec->name);
    hl_text text = { 0 };
    hl_text_print(&text, "<pad>\n<sep>\n<mask>\n");
    if (task->words != NULL) {
        task->words(spec, &text);
    } else {
        hl_task_add_letters(spec->symbols, &text);
    }
    hl_status status = hl_text_status(&text);
    HL_THEN(status, hl_vocabulary_of_lines(text.bytes, text.size, out));
    hl_text_free(&text);
    return status;
}
