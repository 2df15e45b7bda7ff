/* File calls and allocations that fail on purpose, and are counted. */
#ifndef HL_TESTS_FAULTS_H
#define HL_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* Which calls fail: the n-th from now (the first is 1), or the n-th and all after it. */
typedef enum faults_kind { FAULTS_ONCE, FAULTS_FOR_EVER } faults_kind;

/* Puts counting tables in the place of the system's file calls and allocator; nothing fails yet, and fsync does
 * nothing. To be called before anything was allocated that is freed later. */
void faults_begin(void);

/* The n-th file call fails with `error` (errno); n = 0: none does. A close that fails has closed, as on Linux. The
 * counts of calls start anew. */
void faults_in_files(int n, faults_kind kind, int error);

/* The n-th allocation fails; n = 0: none does. The count of allocations starts anew. */
void faults_in_memory(int n, faults_kind kind);

/* No read or write does more than `bytes` at once; 0: as much as it likes. */
void faults_pieces(size_t bytes);

/* Whether every open, read, write and fsync is interrupted once (EINTR) before it does anything. */
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

#endif
