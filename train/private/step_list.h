/* The steps in the names of a folder's files: snapshots, kept checkpoints. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hl_step_list {
    int64_t *steps; /* ascending, n of them; owned by the caller that read the list: hl_free */
    size_t n;
} hl_step_list;

/* Lists the steps of the names in `folder`, which it reads once. `step_of` returns the step of a name, or a negative
 * number if it has none. A missing folder has no names. HL_BAD_FILE, HL_NO_MEMORY; there is then nothing to free. */
hl_status hl_step_list_read(const char *folder, int64_t (*step_of)(const char *name), hl_step_list *list);
