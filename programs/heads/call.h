/* One call of `heads`, and the first steps of most verbs. */
#pragma once

#include "programs/heads/command.h"
#include "programs/waiting.h"
#include "study/model.h"
#include "train/ranks/ranks.h"

#include <stdio.h>

typedef struct hl_heads_call {
    hl_heads_command command;
    hl_ranks *ranks; /* NULL: alone; not owned */
    int measuring;   /* how many of them measure on this machine, and share its memory */
    FILE *out, *err;
    hl_opened_model model; /* closed when the call ends */
    hl_waiting waiting;    /* the progress while the model runs */
} hl_heads_call;

/* Opens the command's model; an open model with the requested task. `use` as in hl_model_options. Fails as
 * hl_opened_model_open_with. */
hl_status hl_heads_call_open(hl_heads_call *call, hl_data_use use);

/* Check that there is a loss, or examples. A run has both. An open model has neither of its own: HL_INVALID, saying
 * what to do. */
hl_status hl_heads_call_needs_loss(const hl_heads_call *call);
hl_status hl_heads_call_needs_examples(const hl_heads_call *call);

/* Checks that the requested files may be written (hl_targets_check), reports what the model does not know in an open
 * model's file, and reads the sentences of --examples. Fails as these checks, and as hl_heads_examples_read. */
hl_status hl_heads_call_read(hl_heads_call *call);

/* Checks that there is memory for the answer (programs/heads/memory.h), and prints the notices about the model. Fails
 * as this check. */
hl_status hl_heads_call_begin(hl_heads_call *call);

/* What most verbs begin with: opens the model, checks what the verb `needs` (NULL: nothing), reads and begins. */
hl_status hl_heads_call_start(hl_heads_call *call, hl_data_use use, hl_status (*needs)(const hl_heads_call *call));

/* Whether files can be written into the run's folder. A run in a read-only folder can still be read; `else_what` is
 * then printed. */
bool hl_heads_call_can_write(const hl_heads_call *call, const char *else_what);
