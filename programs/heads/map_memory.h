/* What the maps take that `heads map` shows. */
#ifndef HL_PROGRAMS_HEADS_MAP_MEMORY_H
#define HL_PROGRAMS_HEADS_MAP_MEMORY_H

#include "programs/heads/command.h"
#include "study/model.h"
#include "train/footprint.h"

#include <stddef.h>

/* `memory` of the verb (programs/heads/verb.h): the maps, the pass over an input, and the largest of what is made of
 * them. */
hl_status hl_heads_map_memory(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f,
                              size_t *bytes, const char **remedy);

#endif
