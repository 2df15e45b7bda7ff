/* One training as a process of its own, an ordinary run of the program train, which dies with this one. */
#ifndef HL_PROGRAMS_ABLATE_PROCESS_H
#define HL_PROGRAMS_ABLATE_PROCESS_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct hl_ablate_process {
    pid_t id;
    int log;           /* log.txt, by which the cell is this call's (hl_ablate_cell_take); closed by its owner */
    int64_t log_begin; /* what it held before */
} hl_ablate_process;

/* Starts `train` on the run in the folder, which holds its config.ini: from its last checkpoint, or the beginning;
 * `from` is the folder of an open model, with which it then begins, `more` one more override; NULL: none. What it says
 * is added to process->log. Signals that a terminal sends to this process do not reach it. HL_BAD_FILE: log.txt;
 * HL_FAILED: no process; HL_NO_MEMORY. */
hl_status hl_ablate_process_start(const char *train, const char *folder, int threads, const char *from,
                                  const char *more, hl_ablate_process *process);

/* Asks it to save and end. */
void hl_ablate_process_stop(const hl_ablate_process *process);

/* Whether it has ended, and then as what: HL_OK; HL_FAILED with the last line it said, or its signal; or HL_NO_MEMORY:
 * the line could not be read. */
bool hl_ablate_process_ended(const hl_ablate_process *process, const char *folder, hl_status *status);

#endif
