/* What no single key of a config tells: whether its task and its snapshots can be. */
#ifndef HL_TRAIN_SETUP_CHECK_H
#define HL_TRAIN_SETUP_CHECK_H

#include "core/declarations.h"
#include "train/config.h"

HL_BEGIN_DECLS

/* HL_INVALID "<path>: what is wrong", `path` being the config's: a task that cannot be opened, as one that has fewer
 * different examples than validation takes; snapshots that would take more than patterns.budget_mb. HL_NO_MEMORY. */
hl_status hl_setup_check(const hl_config *config, const char *path);

HL_END_DECLS

#endif
