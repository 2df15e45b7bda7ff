/* File calls and allocations that fail on purpose, and are counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Which calls fail: the n-th from now (the first is 1), or the n-th and all after it. FAULTS_SIGNAL: the n-th file
 * call does not fail, but the process receives a signal just before it, or just after a close. SIGKILL comes in the
 * middle of a write: half of it is written. */
typedef enum faults_kind { FAULTS_ONCE, FAULTS_FOR_EVER, FAULTS_SIGNAL } faults_kind;

/* The file calls that count, and may fail: all of them, or those of one kind. FAULTS_SHORT_WRITE: the n-th write does
 * half of its work, and it is the next one that fails, as on a disk that fills up. */
typedef enum faults_call {
    FAULTS_ANY_CALL,
    FAULTS_OPEN,
    FAULTS_READ,
    FAULTS_PREAD,
    FAULTS_WRITE,
    FAULTS_SHORT_WRITE,
    FAULTS_LSEEK,
    FAULTS_FSTAT,
    FAULTS_FTRUNCATE,
    FAULTS_FSYNC,
    FAULTS_CLOSE,
    FAULTS_RENAME,
    FAULTS_LINK,
    FAULTS_UNLINK,
    FAULTS_MKDIR,
    FAULTS_ACCESS,
    FAULTS_FLOCK,
    FAULTS_OPENDIR,
    FAULTS_READDIR,
    FAULTS_CLOSEDIR,
    FAULTS_CALLS
} faults_call;

/* Puts counting tables in the place of the system's file calls and allocator; nothing fails yet, and fsync does
 * nothing. To be called before anything was allocated that is freed later. */
void faults_begin(void);

/* The n-th file call fails with `error` (errno), or comes after the signal `error`; n = 0: none does. A close that
 * fails has closed, as on Linux. The counts of calls start anew. */
void faults_in_files(int n, faults_kind kind, int error);

/* Of which kind the n-th call is; any, unless told otherwise. To be called before faults_in_files. */
void faults_of_call(faults_call call);

/* Calls on a file whose path has this part in it do not count, but for its closing; NULL: all count. */
void faults_beside(const char *part);

/* "open", "short write", ... */
const char *faults_call_name(faults_call call);

/* A call that failed: its kind, and the path that it was given or that its file was opened by. */
enum { FAULTS_PATH = 512, FAULTS_KEPT = 256 };
typedef struct faults_failure {
    faults_call call;
    char path[FAULTS_PATH];
} faults_failure;

/* Those of file calls since faults_in_files, of which the first FAULTS_KEPT are kept. */
int faults_failures(const faults_failure **failures);

/* The n-th allocation fails; n = 0: none does. The count of allocations starts anew. */
void faults_in_memory(int n, faults_kind kind);

/* No read, pread or write does more than `bytes` at once; 0: as much as it likes. */
void faults_pieces(size_t bytes);

/* Whether every open, read, pread, write, ftruncate and fsync is interrupted once (EINTR) before it does anything. */
void faults_interrupts(bool on);

/* Counts since faults_in_files and faults_in_memory. */
int faults_file_calls(void);
int faults_interrupted(void);
bool faults_unlink_failed(void);
bool faults_renamed(void);
int faults_allocations(void);

/* Files open and blocks allocated since faults_begin, and not yet closed or freed. */
int faults_open_files(void);
int faults_live_blocks(void);

/* The system's tables again. */
void faults_end(void);
