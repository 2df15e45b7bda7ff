/* What an open model, which has neither examples nor a loss of its own, can be asked. */
#ifndef HL_PROGRAMS_HEADS_CHECK_OPEN_H
#define HL_PROGRAMS_HEADS_CHECK_OPEN_H

#include "programs/heads/command.h"
#include "study/model_source.h"

/* HL_INVALID, with what to do instead, where the command asks an open model for more than it has; OK for a run. */
hl_status hl_heads_check_open(const hl_model_source *run, const hl_heads_command *command);

#endif
