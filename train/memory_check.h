/* Checks that there is memory before something begins: the system would grant too much, and kill the process later. */
#ifndef HL_TRAIN_MEMORY_CHECK_H
#define HL_TRAIN_MEMORY_CHECK_H

#include "core/declarations.h"
#include "train/config.h"
#include "train/memory_at_hand.h"

#include <stddef.h>

HL_BEGIN_DECLS

/* HL_NO_MEMORY "<path>: <what> about <needed> of memory, and <at hand> are free; <remedy>" where `needed` is larger than
 * what is at hand. what: "the run needs". */
hl_status hl_memory_check(size_t needed, hl_memory_at_hand at_hand, const char *path, const char *what,
                          const char *remedy);

/* The same for a training and the heads at its end, with the remedy for what takes most of it; `path` is the config's.
 * Otherwise as hl_footprint_of. */
hl_status hl_memory_check_training(const hl_config *config, hl_memory_at_hand at_hand, const char *path);

HL_END_DECLS

#endif
