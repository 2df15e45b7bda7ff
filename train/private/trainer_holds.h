/* How a trainer holds heads off and frozen (train/holds.h). For trainer*.c alone. */
#pragma once

#include "train/holds.h"
#include "train/trainer.h"

#include <stddef.h>

typedef struct hl_trainer_holds {
    hl_holds off, frozen;
    hl_tensor switches[HL_MAX_LAYERS]; /* of the layers, if any head is ever off */
    int64_t most;                      /* numbers that may be frozen */
    hl_real *kept;                     /* (3, most): weights and both moments of frozen heads during an update */
    hl_real numbers[];                 /* of the switches, one for each head; after them `kept` */
} hl_trainer_holds;

/* Makes trainer->holds for the model, which must have been initialised but not run. Leaves it NULL if the config holds
 * nothing. HL_NO_MEMORY. Freed by hl_free(trainer->holds). */
hl_status hl_trainer_holds_init(hl_trainer *trainer);

/* The bytes of `kept` for a config and its model. */
size_t hl_trainer_holds_bytes(const hl_config *config, const hl_model *model);

/* Switches heads on and off for the trainer's step. */
void hl_trainer_holds_switch(const hl_trainer *trainer);

/* What is done with the numbers of heads that are frozen at a step: before an update, their gradients are set to zero,
 * and weights and moments are kept; after it, these are put back. */
typedef enum hl_frozen_act { HL_FROZEN_CLEAR, HL_FROZEN_KEEP, HL_FROZEN_RESTORE } hl_frozen_act;
void hl_trainer_holds_act(const hl_trainer *trainer, int64_t step, hl_frozen_act act);
