/* How much memory there is for a run. */
#ifndef HL_TRAIN_MEMORY_AT_HAND_H
#define HL_TRAIN_MEMORY_AT_HAND_H

#include "core/declarations.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

typedef struct hl_memory_at_hand {
    size_t bytes;   /* SIZE_MAX where nothing tells */
    bool container; /* whether the limit is that of a control group, and not the machine's memory */
} hl_memory_at_hand;

/* What the process may still allocate: the least of MemAvailable in /proc/meminfo, of what is left of its address space
 * (ulimit -v), and, for its control group and all above it (version 1 or 2, as /proc/self/cgroup names them), the limit
 * less what is used and could not be given back (the page cache could). Swap is not counted. What a file does not tell
 * is no limit. 0 where there is not even the memory to find out. */
hl_memory_at_hand hl_memory_at_hand_now(void);

HL_END_DECLS

#endif
