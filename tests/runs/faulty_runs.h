/* Runs of a program in which file calls or allocations fail, and what must hold of every one. Failures here end the
 * test. */
#pragma once

#include "tests/faults.h"
#include "tests/runs/runs.h"

/* Where a call fails: in the tables of core/files/files.h and core/base/memory.h, or in the C library's malloc and its
 * kin, which the libraries call too. */
typedef enum faulty_where { FAULTY_FILES, FAULTY_MEMORY, FAULTY_MALLOC } faulty_where;

/* What fails: the n-th allocation, or the n-th file call of that kind. */
typedef struct faulty_fault {
    faulty_where where;
    faults_call call;
    faults_kind kind;
    int n;
} faulty_fault;

typedef struct faulty_result {
    run_result run;
    bool reached;        /* whether there were n of them */
    bool unlink_failed;  /* a temporary file may have stayed */
    bool by_library;     /* a library ended the run, or made what it can without memory */
    const char *failing; /* the fault in words, for messages */
} faulty_result;

/* Counts the calls of malloc and makes them fail; only a test program that defines malloc has these functions. */
typedef struct faulty_malloc {
    void (*begin)(int n, faults_kind kind, char library[64]); /* which will be the name of the one that failed */
    int (*count)(void);                                       /* since then; it ends what `begin` began */
} faulty_malloc;
void faulty_malloc_is(const faulty_malloc *calls);

/* Runs options.arguments with the fault. Not reached: exit code 0. Reached: exit code 5 and one line on standard error
 * that tells of memory, or 3 and one that names the file of the first call that failed; code 0 and no line only where
 * that call is a harmless one (faulty_runs.c). Always: every block freed, every file closed, and nothing of `options`'s
 * program leaked that a leak checker would see. Libraries may cope with a failing malloc, for which code 0 and no line
 * do as well; those that do not (faulty_runs.c) may end the process in any way: what it leaves then is the caller's to
 * check, as ever. */
faulty_result faulty_run(faulty_fault fault, run_options options);

/* Calls `attempt` with every allocation or every file call failing in turn, of any kind and of each kind, until it
 * tells that there were not as many: n = 1, 2, then every `stride`-th, failing once, and failing for ever after.
 * Prints how many that were, and how many of them were left to libraries. */
void faulty_runs(const char *what, faulty_where where, int stride, bool (*attempt)(faulty_fault fault));

/* The folder, and patterns in it, must hold no temporary file, unless one could not be removed. */
void faulty_assert_no_temporary(const char *folder, const faulty_result *result);
