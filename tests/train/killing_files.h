/* A table of file calls (core/files.h) in which the n-th access to a file sends the process a signal, or is the first
 * that finds the disk full. Accesses: open, write, rename, link, unlink, mkdir; those that only read or wait are none, and
 * the hundred writes of a snapshot together with its opening are one. */
#ifndef HL_TESTS_TRAIN_KILLING_FILES_H
#define HL_TESTS_TRAIN_KILLING_FILES_H

enum { KILLING_DISK_FULL = 0 };

/* What happens at the n-th access (0: never) of a process that then calls killing_files_begin: it receives `signal`
 * (SIGKILL: in the middle of a write, half of it is written), or from then on no write succeeds (KILLING_DISK_FULL). */
void killing_files_set(int n, int signal);

/* Puts the table in the place of the system's; for run_options.before. */
void killing_files_begin(void);

#endif
