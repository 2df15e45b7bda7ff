/* Whether there is memory for a run. */
#ifndef HL_PROGRAMS_TRAIN_MEMORY_CHECK_H
#define HL_PROGRAMS_TRAIN_MEMORY_CHECK_H

#include "train/config.h"
#include "train/memory_at_hand.h"

/* HL_NO_MEMORY "<path>: what the run needs, what there is, and how to need less", `path` being the config's, where the
 * footprint is larger than what is at hand. The system would grant such a run its memory, and kill it later. Otherwise
 * as hl_footprint_of. */
hl_status hl_memory_check(const hl_config *config, hl_memory_at_hand at_hand, const char *path);

#endif
