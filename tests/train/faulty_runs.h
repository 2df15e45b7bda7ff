/* Runs of a program in which file calls or allocations fail, and what must hold of every one. Failures here end the
 * test. */
#ifndef HL_TESTS_TRAIN_FAULTY_RUNS_H
#define HL_TESTS_TRAIN_FAULTY_RUNS_H

#include "tests/faults.h"
#include "tests/train/runs.h"

/* What fails: the n-th allocation (`memory`), or the n-th file call of that kind. */
typedef struct faulty_fault {
    bool memory;
    faults_call call;
    faults_kind kind;
    int n;
} faulty_fault;

typedef struct faulty_result {
    run_result run;
    bool reached;        /* whether there were n of them */
    bool unlink_failed;  /* a temporary file may have stayed */
    const char *failing; /* the fault in words, for messages */
} faulty_result;

/* Runs options.arguments with the fault. Not reached: exit code 0. Reached: exit code 5 and one line on standard error
 * that tells of memory, or 3 and one that names the file of the first call that failed; code 0 and no line only where
 * that call is a harmless one (faulty_runs.c). Always: every block freed, every file closed, and nothing of `options`'s
 * program leaked that a leak checker would see. */
faulty_result faulty_run(faulty_fault fault, run_options options);

/* Calls `attempt` with every allocation failing in turn, until it tells that there were not as many: n = 1, 2, ... 8,
 * then every `stride`-th, failing once, and failing for ever after. Prints how many that were. */
void faulty_runs_of_memory(const char *what, int stride, bool (*attempt)(faulty_fault fault));

/* The same for file calls, of any kind and of each kind in turn. */
void faulty_runs_of_files(const char *what, int stride, bool (*attempt)(faulty_fault fault));

/* The folder and its folders must hold no temporary file. */
void faulty_assert_no_temporary(const char *folder, const char *failing);

#endif
