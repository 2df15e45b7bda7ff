/* How much memory there is, and whether it is enough before something begins: the system would grant too much, and kill
 * the process later. */
#ifndef HL_TRAIN_MEMORY_CHECK_H
#define HL_TRAIN_MEMORY_CHECK_H

#include "core/base/declarations.h"
#include "train/config.h"

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

/* HL_NO_MEMORY "<path>: <what> about <needed> of memory, and <at hand> are free; <remedy>" where `needed` is larger
 * than what is at hand, "out of memory: <path>" where that is nothing. what: "the run needs". */
hl_status hl_memory_check(size_t needed, hl_memory_at_hand at_hand, const char *path, const char *what,
                          const char *remedy);

/* The same for a training and the heads at its end, by one of so many processes (hl_footprint_of_one), with the remedy
 * for what takes most of it; `path` is the config's. Otherwise as hl_footprint_of_config. */
hl_status hl_memory_check_training(const hl_config *config, int processes, hl_memory_at_hand at_hand, const char *path);

HL_END_DECLS

#endif
