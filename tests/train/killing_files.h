/* A table of file calls (core/files.h) in which the n-th call sends the process a signal. Every call of the table
 * counts; of a snapshot only its opening, its closing and what becomes of its name: it is written in a hundred small
 * pieces before its name is there. */
#ifndef HL_TESTS_TRAIN_KILLING_FILES_H
#define HL_TESTS_TRAIN_KILLING_FILES_H

#include "tests/train/runs.h"

/* What happens just before the n-th call (0: never) of a process that then calls killing_files_begin: it receives
 * `signal` (SIGKILL: in the middle of a write, half of it is written). */
void killing_files_set(int n, int signal);

/* Puts the table in the place of the system's; for run_options.before. */
void killing_files_begin(void);

/* Both, for one run of train. */
run_result killing_files_run(int n, int signal, const char *const *arguments);

#endif
