/* One training in its own process: an ordinary run of the program `train`. It dies with this process. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct hl_ablate_process {
    pid_t id;
    int log;           /* log.txt, whose lock gives the cell to this call (hl_ablate_cell_take); its owner closes it */
    int64_t log_begin; /* its size before this training */
} hl_ablate_process;

/* Starts `train` on the run in the folder, which holds its config.ini, from its last checkpoint or from the beginning.
 * `from` is the folder of an open model to begin with, and `more` is one more override; NULL: none. The output is added
 * to process->log. Signals that a terminal sends to this process do not reach the new one. HL_BAD_FILE: log.txt;
 * HL_FAILED: no process; HL_NO_MEMORY. */
hl_status hl_ablate_process_start(const char *train, const char *folder, int threads, const char *from,
                                  const char *more, hl_ablate_process *process);

/* Whether the training has ended. *status is then HL_OK, HL_FAILED with its last line of output or its signal, or
 * HL_NO_MEMORY if this line could not be read. */
bool hl_ablate_process_ended(const hl_ablate_process *process, const char *folder, hl_status *status);
