#include "train/private/step_list.h"

#include "core/base/memory.h"
#include "core/files/folders.h"

#include <stdlib.h>

typedef struct reading {
    hl_step_list *list;
    int64_t (*step_of)(const char *name);
} reading;

static hl_status add_step(void *context, const char *name)
{
    enum { SOME = 64 };
    const reading *r = context;
    hl_step_list *list = r->list;
    int64_t step = r->step_of(name);
    if (step >= 0 && list->n == list->capacity) {
        size_t more = list->capacity > 0 ? 2 * list->capacity : SOME;
        int64_t *steps = hl_realloc(list->steps, more, sizeof *steps);
        HL_NEED(steps != NULL, "a list of steps");
        list->steps = steps;
        list->capacity = more;
    }
    if (step >= 0) {
        list->steps[list->n++] = step;
    }
    return hl_ok();
}

static int compare_steps(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

hl_status hl_step_list_read(const char *folder, int64_t (*step_of)(const char *name), hl_step_list *list)
{
    *list = (hl_step_list){ 0 };
    hl_status status = hl_folder_list(folder, add_step, &(reading){ list, step_of });
    if (status.code != HL_OK) {
        hl_free(list->steps);
        *list = (hl_step_list){ 0 };
    } else if (list->n > 0) {
        qsort(list->steps, list->n, sizeof *list->steps, compare_steps);
    }
    return status;
}
