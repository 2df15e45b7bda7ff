/* How a trainer holds heads off and frozen (train/holds.h). For trainer*.c alone. */
#pragma once

#include "train/holds.h"
#include "train/trainer.h"

#include <stddef.h>

typedef struct hl_trainer_holds {
    hl_holds off, frozen;
    hl_tensor switches[HL_MAX_LAYERS]; /* of the layers, if any head is ever off */
    hl_real *numbers;                  /* theirs, one for each head; owned */
    hl_real *kept;                     /* (3, most): weights and both moments of frozen heads during an update; owned */
    int64_t most;
} hl_trainer_holds;

/* Makes trainer->holds for the model, which must have been initialised but not run. Leaves it NULL if the config holds
 * nothing. HL_NO_MEMORY. */
hl_status hl_trainer_holds_init(hl_trainer *trainer);
void hl_trainer_holds_free(hl_trainer *trainer);

/* The bytes of `kept` for a config and its model. */
size_t hl_trainer_holds_bytes(const hl_config *config, const hl_model *model);

/* Switches heads on and off for the trainer's step. */
void hl_trainer_holds_switch(const hl_trainer *trainer);

/* Sets the gradients of heads that are frozen at the trainer's step to zero. */
void hl_trainer_holds_clear(const hl_trainer *trainer);

/* Before and after an update: keeps the numbers of heads that are frozen at this step, and puts them back. */
void hl_trainer_holds_keep(const hl_trainer *trainer, int64_t step);
void hl_trainer_holds_restore(const hl_trainer *trainer, int64_t step);
