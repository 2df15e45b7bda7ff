/* One call of `heads`, and the steps that most verbs begin with. */
#ifndef HL_PROGRAMS_HEADS_CALL_H
#define HL_PROGRAMS_HEADS_CALL_H

#include "programs/heads/command.h"
#include "programs/waiting.h"
#include "study/model.h"
#include "train/ranks/ranks.h"

#include <stdio.h>

typedef struct hl_heads_call {
    hl_heads_command command;
    hl_ranks *ranks; /* NULL: alone; not owned */
    int measuring;   /* how many of them do so on this machine, and share its memory */
    FILE *out, *err;
    hl_opened_model model; /* closed when the call ends */
    hl_waiting waiting;    /* while the model is run */
} hl_heads_call;

/* Opens the model of the command, with the task that it asks of an open one; `use` as hl_model_options has it. Fails as
 * hl_opened_model_open_with. */
hl_status hl_heads_call_open(hl_heads_call *call, hl_data_use use);

/* What a verb may ask of an open model, which has neither a loss nor examples of its own. OK for a run; else HL_INVALID
 * with what to do instead. */
hl_status hl_heads_call_needs_loss(const hl_heads_call *call);
hl_status hl_heads_call_needs_examples(const hl_heads_call *call);

/* Looks whether the files that are asked for may be written (hl_targets_check), tells what an open model's file has
 * that the model does not know, and reads the sentences of --examples. Fails likewise, and as
 * hl_heads_examples_read. */
hl_status hl_heads_call_read(hl_heads_call *call);

/* Looks whether there is memory for the answer (hl_heads_memory_check), and tells what is to be known of the model.
 * Fails likewise. */
hl_status hl_heads_call_begin(hl_heads_call *call);

/* Whether files can be written beside a run: one in a folder that cannot be written to can still be read, and then
 * `else_what` is told. */
bool hl_heads_call_can_write(const hl_heads_call *call, const char *else_what);

#endif
