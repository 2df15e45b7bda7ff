/* A trainer and its loop as one of several ranks: a copy task whose batch has LOOP_RANKS_LEAVES leaves. */
#pragma once

#include "train/loop.h"

enum { LOOP_RANKS_LEAVES = 4 };

/* Eleven examples of validation, so that its leaves are not equal; classes are counted, too. */
hl_config loop_ranks_config(void);

/* A trainer with drawn weights; `ranks` NULL: alone. To be ended by hl_trainer_free. */
void loop_ranks_trainer(hl_trainer *trainer, const hl_config *config, hl_ranks *ranks);

typedef struct loop_ranks {
    hl_config config;
    hl_run_folder folder;
    bool fails; /* rank 0 has no metrics.csv open */
    hl_status status[LOOP_RANKS_LEAVES];
    int64_t step[LOOP_RANKS_LEAVES];
} loop_ranks;

/* Makes the run's folder there; six steps, each with a row, every other validated. */
void loop_ranks_make(loop_ranks *l, const char *path, bool fails);

/* Runs the loop as one rank; `context` is the loop_ranks. thread_ranks_run calls it. */
void loop_ranks_run(hl_ranks *ranks, void *context);
