/* Compares the memory that work will need with the memory that is free, before the work begins. The system would grant
 * too much, and kill the process later. */
#pragma once

#include "core/base/declarations.h"
#include "train/config.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

typedef struct hl_memory_at_hand {
    size_t bytes;   /* SIZE_MAX if unknown */
    bool container; /* whether a control group sets the limit, not the machine's memory */
} hl_memory_at_hand;

/* What the process may still allocate: the least of several limits. They are MemAvailable in /proc/meminfo, the rest of
 * its address space (ulimit -v), and, for its control group and all groups above it (version 1 or 2, as in
 * /proc/self/cgroup), the limit minus the memory in use that could not be given back (the page cache could). Swap does
 * not count. A limit that no file states does not apply. 0 if there is not even enough memory to find out. */
hl_memory_at_hand hl_memory_at_hand_now(void);

/* If `needed` is larger than the free memory: HL_NO_MEMORY "<path>: <what> about <needed> of memory, and <at hand> are
 * free; <remedy>". If no memory is free: "out of memory: <path>". An example of `what`: "the run needs". */
hl_status hl_memory_check(size_t needed, hl_memory_at_hand at_hand, const char *path, const char *what,
                          const char *remedy);

/* The same for a training and its heads at the end, by one of `processes` processes (hl_footprint_of). The remedy
 * concerns the part that needs most memory; `path` is the config's. Otherwise fails as hl_footprint_of_config. */
hl_status hl_memory_check_training(const hl_config *config, int processes, hl_memory_at_hand at_hand, const char *path);

HL_END_DECLS
