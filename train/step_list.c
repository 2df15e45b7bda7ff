#include "train/private/step_list.h"

#include "core/base/text.h"
#include "core/files/folders.h"

#include <stdlib.h>

typedef struct reading {
    hl_text steps; /* as numbers */
    int64_t (*step_of)(const char *name);
} reading;

static hl_status add_step(void *context, const char *name)
{
    reading *r = context;
    int64_t step = r->step_of(name);
    if (step >= 0) {
        hl_text_add(&r->steps, &step, sizeof step);
    }
    return hl_text_status(&r->steps).code == HL_OK ? hl_ok() : hl_error_memory("a list of steps");
}

static int compare_steps(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

hl_status hl_step_list_read(const char *folder, int64_t (*step_of)(const char *name), hl_step_list *list)
{
    reading r = { .step_of = step_of };
    *list = (hl_step_list){ 0 };
    hl_status status = hl_folder_list(folder, add_step, &r);
    if (status.code != HL_OK) {
        hl_text_free(&r.steps);
    } else if (r.steps.size > 0) {
        *list = (hl_step_list){ (int64_t *)(void *)r.steps.bytes, r.steps.size / sizeof *list->steps };
        qsort(list->steps, list->n, sizeof *list->steps, compare_steps);
    }
    return status;
}
