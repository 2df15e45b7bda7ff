/* The steps that files of a folder are named after: of snapshots, of kept checkpoints. */
#ifndef HL_TRAIN_PRIVATE_STEP_LIST_H
#define HL_TRAIN_PRIVATE_STEP_LIST_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hl_step_list {
    int64_t *steps; /* ascending, n of them; owned by whoever read the list: hl_free */
    size_t n, capacity;
} hl_step_list;

/* Lists the steps of the names in `folder`, by one pass over them; `step_of` tells a name's, below 0: it has none. A
 * folder that is not there has no names. HL_BAD_FILE, HL_NO_MEMORY; there is nothing to free then. */
hl_status hl_step_list_read(const char *folder, int64_t (*step_of)(const char *name), hl_step_list *list);

#endif
