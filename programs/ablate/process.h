/* One training in its own process: an ordinary run of the program `train`. It dies with this process. */
#pragma once

#include "programs/ablate/result.h"

#include <sys/types.h>

typedef struct hl_ablate_running {
    int64_t cell;
    hl_ablate_path folder;
    bool began;         /* its process ended; the rest is in the folder's log.txt */
    bool elsewhere;     /* another call trained it */
    int64_t first_step; /* where it began or was resumed */
    double started;     /* seconds of hl_clock_seconds */
    int threads;
    hl_ablate_glimpse glimpse;
    pid_t process;
    int log;           /* log.txt, whose lock gives the cell to this call (hl_ablate_cell_take); its owner closes it */
    int64_t log_begin; /* its size before this training */
} hl_ablate_running;

/* Starts `train` on the run in its folder, which holds its config.ini, from its last checkpoint or from the beginning,
 * with that many threads. `from` is the folder of an open model to begin with, and `more` is one more override; NULL:
 * none. The output is added to the log. Signals that a terminal sends to this process do not reach the new one.
 * HL_BAD_FILE: log.txt; HL_FAILED: no process; HL_NO_MEMORY. */
hl_status hl_ablate_process_start(const char *train, const char *from, const char *more, hl_ablate_running *running);

/* Whether the training has ended. *status is then HL_OK, HL_FAILED with its last line of output or its signal, or
 * HL_NO_MEMORY if this line could not be read. */
bool hl_ablate_process_ended(const hl_ablate_running *running, hl_status *status);
