/* Runs of the program train as several processes, started by the mpirun of the build. Failures here end the test. */
#pragma once

#include "tests/runs/runs.h"

#include <stdbool.h>
#include <sys/types.h>

enum { MPI_MOST_RANKS = 8 };

/* Starts n processes, of train or of another program; to be waited for by run_wait. */
pid_t mpi_start_program(int n, const char *program, const char *const *arguments);
pid_t mpi_start(int n, const char *const *arguments);

/* Both. MPI_RUN(3, "tiny.ini", "--out", folder) */
run_result mpi_run(int n, const char *const *arguments);
#define MPI_RUN(n, ...) mpi_run(n, (const char *const[]){ __VA_ARGS__, NULL })

#define EXPECT_MPI_RUN(expected, n, ...)                                                                   \
    do {                                                                                                   \
        run_result mpi_found = MPI_RUN(n, __VA_ARGS__);                                                    \
        ck_assert_msg(mpi_found.code == (expected), "exit code %d: %s\n%s", mpi_found.code, mpi_found.err, \
                      mpi_found.out);                                                                      \
    } while (0)

/* The processes among whose arguments is this text, mpirun and its helpers aside; returns how many. */
int mpi_ranks(const char *text, pid_t ranks[MPI_MOST_RANKS]);

/* Whether the process has ended, which run_wait still waits for. */
bool mpi_has_ended(pid_t job);

/* Waits until there are so many, or `job` has ended, which run_wait still waits for (0: none). */
void mpi_await_ranks(const char *text, int n, pid_t job);

/* Waits until a job has ended of which a process, or mpirun, was killed; the text stands among its ranks' arguments. */
run_result mpi_end(pid_t job, const char *text);

/* How often the text stands in the other. */
int mpi_count(const char *text, const char *in);

double mpi_seconds(void);
